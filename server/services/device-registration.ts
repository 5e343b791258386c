import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { DevicePermission } from '../../shared/access.ts'
import { zeroId } from '../../shared/contract/fields.ts'
import type { RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import type { App } from '../context.ts'
import { badRequest, forbidden } from '../errors.ts'
import type { DeviceRow, DeviceState } from '../models/device.ts'
import type { InstallerKeyRow } from '../models/installer-key.ts'
import { deviceResource } from '../policies/device.ts'
import { evaluator } from '../policies/evaluate.ts'
import { rulesOfUser } from '../policies/rights.ts'
import { isPublicKey } from './device-signatures.ts'
import { publicAddress } from './fleet.ts'
import { checkInstallerKey } from './installer-keys.ts'

const mayOn = (
  app: App,
  key: InstallerKeyRow,
  permission: DevicePermission | 'agent.install',
  device: DeviceRow & { groupIds?: readonly string[] },
) => evaluator(rulesOfUser(app, key.creatorId), permission)(deviceResource({ groupIds: [], ...device }))

/** A known device may be registered again only with a key whose creator still may install on it (T14). */
async function checkCreator(app: App, key: InstallerKeyRow, device: DeviceState) {
  if (!(await app.models.User.findByPk(key.creatorId))) {
    throw badRequest('The installer key is not valid.')
  }
  if (!mayOn(app, key, 'agent.install', device)) {
    throw forbidden('The creator of this installer key may not install agents on this device.')
  }
}

/**
 * Checks a request up to the point where only the use of the key is left, in the order of the contract's `agent.md`
 * section 2, and builds the row that it asks for.
 */
async function admit(
  app: App,
  { device, installerKeyId, installerKeySecret, publicKey, tagIds, customerId }: RegisterDeviceRequestDto,
  remoteAddress: string,
  transaction?: Transaction,
): Promise<{ key: InstallerKeyRow; row: DeviceRow; isKnown: boolean }> {
  const { id, tenantId, ...report } = device
  const key = await checkInstallerKey(app, installerKeyId, installerKeySecret, transaction)
  if (tenantId != null && tenantId !== zeroId && tenantId !== key.tenantId) {
    throw badRequest('The installer key belongs to another tenant.')
  }
  const known = app.fleet.get(id)
  if (known && known.tenantId !== key.tenantId) {
    throw badRequest('Device already exists in another tenant.')
  }
  if (known) {
    await checkCreator(app, key, known)
  }
  if (customerId != null) {
    throw badRequest('customerId names no customer of this tenant.')
  }
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
    customerId: known?.customerId ?? null,
  }
  if (tagIds?.length && !mayOn(app, key, 'device.tags.write', row)) {
    throw forbidden('The creator of this installer key may not set tags on this device.')
  }
  return { key, row, isKnown: known !== undefined }
}

/**
 * Registers a device with an installer key, or registers a known one again with a new public key; the use of the key and
 * the device are stored in one transaction.
 */
export async function registerDevice(
  app: App,
  request: RegisterDeviceRequestDto,
  remoteAddress: string,
): Promise<DeviceState> {
  const { device, publicKey } = request
  if (device.id === zeroId) {
    throw badRequest('device.id must be a non-empty GUID.')
  }
  if (publicKey != null && !isPublicKey(publicKey)) {
    throw badRequest('publicKey must be the base64 of 32 bytes.')
  }
  await admit(app, request, remoteAddress)
  const { key, row } = await app.database.write(async (transaction) => {
    // Asked again under the write lock: somebody else may have taken the last use, or the device.
    const admitted = await admit(app, request, remoteAddress, transaction)
    const usage = {
      id: randomUUID(),
      keyId: admitted.key.id,
      deviceId: device.id,
      timestamp: app.clock.now(),
      remoteIpAddress: remoteAddress,
    }
    await app.models.InstallerKeyUsage.create(usage, { transaction })
    await (admitted.isKnown
      ? app.models.Device.update(admitted.row, { where: { id: device.id }, transaction })
      : app.models.Device.create(admitted.row, { transaction }))
    return admitted
  })
  const formerConnectionId = app.fleet.get(device.id)?.connectionId
  const stored = app.fleet.put(row)
  if (formerConnectionId) {
    // That connection was proved with the key that has just been replaced.
    app.hubs.agent.disconnect(formerConnectionId)
  }
  app.heartbeats.push(stored)
  app.log.info({ deviceId: device.id, keyId: key.id, remoteAddress }, 'A device registered.')
  return stored
}
