import { randomUUID } from 'node:crypto'
import { UniqueConstraintError, type Transaction } from 'sequelize'
import type { PermissionName } from '../../shared/access.ts'
import { zeroId } from '../../shared/contract/fields.ts'
import type { CheckInstallerKeyDto } from '../../shared/api/appliance-installer-keys.ts'
import type { RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import { actorOfInstallerKey, type Actor } from '../ground/actor.ts'
import type { App, OpenRouteCall } from '../call/call.ts'
import { checkTenantRowLimit } from '../call/check-row-limit.ts'
import { badRequest, forbidden, found } from '../ground/errors.ts'
import { isPublicKey } from './device-signatures.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { DeviceRow } from '../fleet/tables.ts'
import type { InstallerKeyRow } from './tables.ts'
import { deviceResource } from '../fleet/rights.ts'
import type { Resource } from '../rights/evaluate.ts'
import type { Principal } from '../ground/principal.ts'
import type { MakerNow } from '../rights/maker.ts'
import { rightOf } from '../rights/rights.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { assignIn } from '../organization/customers.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import { publicAddress } from '../fleet/fleet.ts'
import { checkInstallerKey, creatorOf } from './installer-keys.ts'
import { forgetTwoMachines } from './two-machines.ts'
import { checkMayFill, joinGroups, placementFor } from './placements.ts'
import { replaceDeviceTags } from '../devices/tags.ts'

interface Admission {
  key: InstallerKeyRow
  row: DeviceRow
  known: DeviceState | undefined
  /** Customer, tags and groups that the device gets: its own wishes, else those of the key for a new device. */
  customerId: string | null | undefined
  tagIds: readonly string[] | null | undefined
  deviceGroupIds: readonly string[]
  /** True for a known device that leaves its customer, or had none. */
  isMoved: boolean
  creator: Principal
  actor: Actor
}

/**
 * Validates a request in the order of docs/http.md, "Registering a device", and builds the device's row. The use of the
 * key is not recorded yet.
 */
async function admit(
  app: App,
  request: RegisterDeviceRequestDto,
  remoteAddress: string,
  transaction?: Transaction,
): Promise<Admission> {
  const { device, installerKeyId, installerKeySecret, publicKey } = request
  const { id, tenantId, ...report } = device
  const known = app.fleet.get(id)
  const [key, placed] = await Promise.all([
    checkInstallerKey(app, installerKeyId, installerKeySecret, transaction),
    known ? null : app.models.InstallerKeyPlacement.findByPk(installerKeyId, { transaction }),
  ])
  checkTenant(key, tenantId)
  if (known && known.tenantId !== key.tenantId) {
    throw badRequest('Device already exists in another tenant.')
  }
  if (known && key.isForNewDevices) {
    throw forbidden('This installer key registers new devices only.')
  }
  const placement = placed ? await placementFor(app, key, placed, transaction) : undefined
  const wishedCustomerId = request.customerId ?? placement?.customerId
  const tagIds = request.tagIds?.length ? request.tagIds : (placement?.tagIds ?? request.tagIds)
  const deviceGroupIds = placement?.deviceGroupIds ?? []
  const creator = creatorOf(app, key)
  const mayOn = (permission: PermissionName, resource: Resource) =>
    creator?.isEnabled === true && rightOf(app, creator.principal, permission)(resource)
  const place = known ?? { id, tenantId: key.tenantId, customerId: wishedCustomerId ?? null, groupIds: [] }
  checkCreator(creator, mayOn('agent.install', deviceResource(place)))
  if (wishedCustomerId != null && (await countCustomers(app, key.tenantId, wishedCustomerId, transaction)) === 0) {
    throw badRequest('customerId names no customer of this tenant.')
  }
  // Without the right to move it, a known device stays where it is; refused, its agent would have a key that we do not know.
  const mayPlace = !known || mayOn('tenant.customers.write', { kind: 'Tenant', tenantId: key.tenantId })
  const customerId = mayPlace ? wishedCustomerId : null
  const isMoved = known !== undefined && customerId != null && customerId !== known.customerId
  const now = app.clock.now()
  const row: DeviceRow = {
    ...report,
    id,
    tenantId: key.tenantId,
    createdAt: known?.createdAt ?? now,
    lastSeen: now,
    alias: known?.alias ?? null,
    publicKey: publicKey ?? known?.publicKey ?? null,
    ...publicAddress(remoteAddress, known),
    customerId: customerId ?? known?.customerId ?? null,
    newestUpdate: null,
    agentMake: null,
    connectionId: '',
  }
  // Removing tags needs the permission to set tags, too.
  const changesTags = tagIds != null && tagIds.length + (known?.tagIds.length ?? 0) > 0
  if (changesTags && !mayOn('device.tags.write', deviceResource({ ...row, groupIds: known?.groupIds ?? [] }))) {
    throw forbidden('The creator of this installer key may not set tags on this device.')
  }
  checkMayFill(app, creator.principal, key.tenantId, deviceGroupIds)
  const actor = actorOfInstallerKey(key, creator.principal.name, remoteAddress)
  return { key, row, known, customerId, tagIds, deviceGroupIds, isMoved, creator: creator.principal, actor }
}

function checkTenant(key: InstallerKeyRow, tenantId: string | null | undefined) {
  if (tenantId != null && tenantId !== zeroId && tenantId !== key.tenantId) {
    throw badRequest('The installer key belongs to another tenant.')
  }
}

/** Throws the errors that this key would cause in a registration of any device. */
export async function checkKeyForDevice(
  app: App,
  { installerKeyId, installerKeySecret, tenantId }: CheckInstallerKeyDto,
): Promise<void> {
  const key = await checkInstallerKey(app, installerKeyId, installerKeySecret)
  checkTenant(key, tenantId)
  const creator = creatorOf(app, key)
  checkCreator(creator, creator?.isEnabled === true)
}

/** Keys register new and known devices while their creator exists, is enabled, and may install on these devices (T14). */
function checkCreator(creator: MakerNow | undefined, mayInstall: boolean): asserts creator is MakerNow {
  if (!creator || (!creator.isEnabled && creator.principal.tenantId !== null)) {
    throw badRequest('The installer key is not valid.')
  }
  if (!mayInstall) {
    throw forbidden('The creator of this installer key may not install agents on this device.')
  }
}

const countCustomers = ({ models }: App, tenantId: string, id: string, transaction?: Transaction) =>
  models.Customer.count({ where: { id, tenantId }, transaction })

/** Stores an admitted registration: the use of the key, the device, its tags and its customer. */
async function store(
  app: App,
  { key, row, known, tagIds, customerId, deviceGroupIds, isMoved, creator, actor }: Admission,
  remoteAddress: string,
  transaction: Transaction,
) {
  const { InstallerKeyUsage, Device } = app.models
  const usage = {
    id: randomUUID(),
    keyId: key.id,
    deviceId: row.id,
    timestamp: app.clock.now(),
    remoteIpAddress: remoteAddress,
  }
  const used = InstallerKeyUsage.create(usage, { transaction })
  if (known) {
    await used
    const { customerId: _, newestUpdate, connectionId: __, ...own } = row
    const changes = {
      ...own,
      // Updates signed with the old key cannot be replayed under the new key.
      ...(row.publicKey !== known.publicKey && { newestUpdate }),
    }
    await Device.update(changes, { where: { id: row.id }, transaction })
    if (isMoved) {
      const customer = await findOfTenant(app.models.Customer, 'customer', row.tenantId, customerId!, transaction)
      await assignIn({ app, principal: creator, actor }, transaction, customer, { deviceIds: [row.id] })
    }
  } else {
    await Promise.all([used, checkTenantRowLimit('devices', Device, row.tenantId, transaction)])
    await Device.create(row, { transaction })
  }
  if (tagIds != null && (known || tagIds.length > 0)) {
    await replaceDeviceTags(app, transaction, row, tagIds)
  }
  if (deviceGroupIds.length > 0) {
    await joinGroups({ app, actor }, transaction, row, deviceGroupIds)
  }
  if (customerId != null && !known) {
    await recordChange({ app, actor }, transaction, {
      actionType: 'customer-devices-assigned',
      targetType: 'Customer',
      targetId: customerId,
      tenantId: row.tenantId,
      before: [{ deviceId: row.id, customerId: null }],
      after: [{ deviceId: row.id, customerId }],
    })
  }
}

/**
 * Admits and stores a registration in one transaction. New devices share transactions: an office that installs agents
 * registers hundreds at once. Within a shared transaction the mirror does not have the latest rows.
 */
async function storeAdmitted(app: App, request: RegisterDeviceRequestDto, remoteAddress: string): Promise<Admission> {
  const work = async (transaction: Transaction) => {
    // Checked again under the write lock: a concurrent request may have used up the key, or registered the device.
    const admission = await admit(app, request, remoteAddress, transaction)
    await store(app, admission, remoteAddress, transaction)
    const { actor, row, known } = admission
    await app.audit.recordIn(transaction, actor, [
      { kind: 'device.registered', device: row, details: { isNew: known === undefined } },
    ])
    return admission
  }
  if (app.fleet.get(request.device.id)) {
    return app.database.write(work)
  }
  try {
    return await app.database.writeShared(work)
  } catch (error) {
    if (error instanceof UniqueConstraintError) {
      // The same device was registered in the same transaction.
      return app.database.write(work)
    }
    throw error
  }
}

/**
 * Registers a device with an installer key, or registers a known device with a new public key. Stores the use of the
 * key, the device, its tags and its customer in one transaction.
 */
export async function registerDevice(
  { app, remoteAddress }: OpenRouteCall,
  request: RegisterDeviceRequestDto,
): Promise<DeviceState> {
  const { device, publicKey } = request
  if (device.id === zeroId) {
    throw badRequest('device.id must be a non-empty GUID.')
  }
  if (publicKey !== null && !isPublicKey(publicKey)) {
    throw badRequest('publicKey must be the base64 of 32 bytes.')
  }
  await admit(app, request, remoteAddress)
  const { actor } = await storeAdmitted(app, request, remoteAddress)
  await forgetTwoMachines(app, device.id)
  const connectionId = app.fleet.get(device.id)?.connectionId
  if (connectionId) {
    // Registering again ends the device's present connection, also with an unchanged key.
    app.hubs.agent.disconnect(connectionId)
  }
  app.log.info({ actor, deviceId: device.id }, 'A device registered.')
  return found(app.fleet.get(device.id), 'device')
}
