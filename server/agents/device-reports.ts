import { zeroId } from '../../shared/contract/fields.ts'
import type { DeviceResponseDto, DeviceUpdateRequestDto, SignedDeviceUpdateDto } from '../../shared/dtos/device.ts'
import { failureOf, successOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import { systemCall, type App } from '../call/call.ts'
import { checkTenantRowLimit } from '../call/check-row-limit.ts'
import { AppError } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { DeviceRow } from '../fleet/tables.ts'
import { publicKeyProblem, readTicks, type RawSignedUpdate } from './device-signatures.ts'
import { removeDevices } from '../devices/devices.ts'
import { noteRefusal } from '../devices/absence-evidence.ts'
import { noteReport } from '../devices/load-recording.ts'
import { publicAddress } from '../fleet/fleet.ts'
import { presentDevice } from '../fleet/present-device.ts'
import { makeOf } from './device-agent.ts'
import { askDisplaced, askOvertaken, problemOfTwo } from './two-machines.ts'

/** Hub connection of an update. */
export interface UpdateOrigin {
  connectionId: string
  remoteAddress: string
  /** Whether the connection is still open. */
  isOpen(): boolean
  /**
   * Binds the connection to the device of its first valid update; returns undefined for another device (T15). `release`
   * undoes that for an update that is rejected.
   */
  claim(deviceId: string): { release(): void } | undefined
  /** Whether the remote address is below its enrollment limit. */
  mayEnroll(): boolean
}

export type UpdateResult = HubResult & { value: DeviceResponseDto | null }

/** Origin of a verified update: with the key that verified the signature, and the timestamp. */
interface VerifiedOrigin extends UpdateOrigin {
  key: string | null
  ticks: number | null
  agentMake: string
}

type Reason = string

const refuse = (reason: string): UpdateResult => failureOf(reason)

/**
 * Agents of the open-source implementation start without a device id; accepting zeros would merge all of them into one
 * device.
 */
const noDeviceId =
  'The device id is all zeros. Set AppOptions:DeviceId in the settings of the agent to a new GUID, then restart the agent.'

const mayBootstrap = ({ config }: App) => config.appOptions.allowAgentsToSelfBootstrap

/** Finds a device; one that another server may have registered a moment ago, by reading the commits up to now. */
async function findDevice(app: App, id: string): Promise<DeviceState | undefined> {
  if (app.cluster && !app.fleet.get(id)) {
    // Without the database the device stays unknown.
    await app.database.catchUp().catch(() => {})
  }
  return app.fleet.get(id)
}

/** Processes a signed update. `raw` is the message as received: the signature covers its members in their order. */
export async function takeSignedUpdate(
  app: App,
  update: SignedDeviceUpdateDto,
  raw: RawSignedUpdate,
  from: UpdateOrigin,
): Promise<UpdateResult> {
  const { dto } = update
  if (dto.id === zeroId) {
    return refuse(noDeviceId)
  }
  const device = await findDevice(app, dto.id)
  if (!device && !mayBootstrap(app)) {
    return refuse('Unknown device.')
  }
  const key = device?.publicKey ?? update.publicKey ?? ''
  const problem = publicKeyProblem(key)
  if (problem !== undefined) {
    return refuse(problem)
  }
  const { remoteAddress } = from
  const { verifier, replays } = app.deviceSignatures
  if (!(await verifier.isValid(raw, key))) {
    noteRefusal(app, device, 'key', remoteAddress)
    return refuse('Signature verification failed.')
  }
  const ticks = readTicks(update.timestamp)
  // Read after the signature was verified, because the device may be new to the fleet.
  const stored = app.fleet.get(dto.id)?.newestUpdate ?? null
  if (!replays.isFresh(ticks)) {
    noteRefusal(app, device, 'clock', remoteAddress)
    return refuse('Timestamp expired.')
  }
  if (!replays.accept({ deviceId: dto.id, key, ticks, stored })) {
    askOvertaken(app, dto.id, from.connectionId)
    return refuse('Timestamp expired.')
  }
  return await take(app, dto, { ...from, key, ticks, agentMake: makeOf(dto, update.agentMake) })
}

/** Processes an unsigned update of an old agent, for devices without a stored key. */
export async function takeUnsignedUpdate(
  app: App,
  dto: DeviceUpdateRequestDto,
  from: UpdateOrigin,
): Promise<UpdateResult> {
  if (dto.id === zeroId) {
    return refuse(noDeviceId)
  }
  const device = await findDevice(app, dto.id)
  if (device?.publicKey != null) {
    noteRefusal(app, device, 'key', from.remoteAddress)
    return refuse('Device requires signed updates.')
  }
  if (!device && !mayBootstrap(app)) {
    return refuse('Device does not exist in the database.')
  }
  return await take(app, dto, { ...from, key: null, ticks: null, agentMake: makeOf(dto, '') })
}

async function take(app: App, dto: DeviceUpdateRequestDto, from: VerifiedOrigin): Promise<UpdateResult> {
  const claim = from.claim(dto.id)
  if (!claim) {
    return refuse('This connection speaks for another device.')
  }
  const result = await store(app, dto, from).catch((error: unknown) => {
    app.log.error({ err: error, deviceId: dto.id }, 'A device update failed unexpectedly.')
    return refuse('An error occurred while updating the device.')
  })
  // A claim that is stored is undone with the connection.
  if (!result.isSuccess && app.fleet.get(dto.id)?.connectionId !== from.connectionId) {
    claim.release()
  }
  return result
}

async function store(app: App, dto: DeviceUpdateRequestDto, from: VerifiedOrigin): Promise<UpdateResult> {
  if (app.config.serverLifecycle.decommissionServer) {
    await decommission(app, dto.id, from)
    return refuse('Server is decommissioned.')
  }
  const { id, tenantId, ...report } = dto
  const known = app.fleet.get(id)
  const reason = known ? tenantProblem(app, tenantId, known.tenantId) : await enroll(app, dto, from)
  if (reason !== undefined) {
    noteRefusal(app, known, 'tenant', from.remoteAddress)
    return refuse(reason)
  }
  const two = known && (await problemOfTwo(app, known, report, from))
  if (two !== undefined) {
    return refuse(two)
  }
  const displacedId = known?.connectionId ?? ''
  const device = await app.fleet.report(id, report, from)
  if (!device) {
    // Another server has accepted this report, or a later one, if the device is still there.
    const isReplay = app.cluster !== undefined && app.fleet.get(id)?.publicKey === from.key
    if (isReplay) {
      askOvertaken(app, id, from.connectionId)
    }
    return refuse(isReplay ? 'Timestamp expired.' : 'Device does not exist in the database.')
  }
  askDisplaced(app, device, displacedId)
  noteReport(app, known, device)
  return successOf(presentDevice(device, app.agentRelease.version))
}

/** A known device never changes its tenant. Where self-bootstrap is allowed, the claimed tenant is ignored. */
const tenantProblem = (app: App, claimed: string, actual: string): Reason | undefined =>
  claimed === zeroId || claimed === actual || mayBootstrap(app) ? undefined : 'Invalid tenant ID.'

/** Enrolls an unknown device into the only tenant, or returns the reason of a rejection. */
async function enroll(app: App, dto: DeviceUpdateRequestDto, from: VerifiedOrigin): Promise<Reason | undefined> {
  const tenants = await app.models.Tenant.findAll({ limit: 2 })
  const only = tenants[0]
  if (!only) {
    return 'No tenants found.'
  }
  if (tenants.length > 1) {
    return 'Self-bootstrap is only allowed on single-tenant servers. Use an installer key instead.'
  }
  if (dto.tenantId !== zeroId && dto.tenantId !== only.id) {
    return 'Invalid tenant ID.'
  }
  if (!from.mayEnroll()) {
    return 'Too many devices enrolled from this address. Try again later.'
  }
  const now = app.clock.now()
  const row: DeviceRow = {
    ...dto,
    tenantId: only.id,
    createdAt: now,
    lastSeen: now,
    alias: null,
    publicKey: from.key,
    ...publicAddress(from.remoteAddress),
    customerId: null,
    newestUpdate: null,
    agentMake: from.agentMake,
    connectionId: '',
  }
  try {
    await app.database.write(async (transaction) => {
      // A concurrent update may have enrolled the device.
      if (!app.fleet.get(row.id)) {
        await checkTenantRowLimit('devices', app.models.Device, row.tenantId, transaction)
        await app.models.Device.create(row, { transaction })
      }
    })
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.status === 409) {
      return error.message
    }
    throw error
  }
}

async function decommission(app: App, id: string, from: UpdateOrigin) {
  await app.hubs.agent.send(from.connectionId).UninstallAgent('Server has been decommissioned.')
  await removeDevices(systemCall(app), [id])
}
