import { Op } from 'sequelize'
import { cutText } from '../../shared/cut-text.ts'
import { enrollAnewType, type EnrollAnew } from '../../shared/dtos/enroll-anew.ts'
import { systemCall, type App, type Call } from '../call/call.ts'
import { TimeSlice } from '../ground/clock.ts'
import { conflict, notFound } from '../ground/errors.ts'
import { agentMessage } from '../devices/calls.ts'
import { machineOf, rivalOf, type Rivals, type Takeover } from '../devices/shared-identities.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { DeviceReport } from '../fleet/tables.ts'
import { holds } from '../rights/rights.ts'
import { endSessionsOf } from '../remote/session-work.ts'
import { storeEvidence, type Evidence } from '../devices/evidence.ts'
import { createInstallerKey } from './installer-keys.ts'

const twoMachines =
  'Two machines use the identity of this device, so this server takes no commands for either. Choose on the page of the ' +
  'device which of them stays.'
const replaced =
  'Another machine keeps the identity that this one shared with it. This machine is enrolled as a new device, or run the ' +
  'install command on it again.'

interface Origin {
  connectionId: string
  remoteAddress: string
}

type TwoMachines = NonNullable<Evidence['twoMachines']>

/** Id of the chosen machine; undefined until one of these two is chosen. */
const keptIdOf = ({ rivals, keptId }: TwoMachines) => rivals.find(({ id }) => id === keptId)?.id

const updateMethod = 'machines.update'

/** Message to the other servers about the machines of a device. */
interface MachineUpdate {
  deviceId: string
  /** A machine took the device over from another one. */
  takeover?: Takeover
  /** Two machines, or the choice between them; null where the device was registered again. */
  two?: TwoMachines | null
  /** Key for the machine that was not chosen. */
  key?: EnrollAnew | undefined
}

/** Sends an update to the other servers and waits up to 2 s for each. A server that missed it reads the rows again. */
async function publishUpdate({ cluster }: App, update: MachineUpdate): Promise<void> {
  await cluster?.askOthers(updateMethod, update)
}

/** Records that a device has two machines: nothing is asked of either from now on. */
async function separate(app: App, device: DeviceState, rivals: Rivals): Promise<void> {
  const { id, connectionId, name } = device
  endSessionsOf(app, id, twoMachines)
  // Null removes the choice between earlier machines, which the merge of the stored row would keep.
  const two = { at: app.clock.now(), rivals, keptId: null }
  // Storing begins first, so that no choice made meanwhile is overwritten.
  const stored = storeEvidence(app, id, { twoMachines: two })
  const disconnected = app.fleet.disconnect(id, connectionId).then(() => app.streams.drop(connectionId))
  await Promise.all([stored, disconnected])
  await publishUpdate(app, { deviceId: id, two })
  const addresses = rivals.map((rival) => rival.addresses.at(-1) ?? '').join(', ')
  app.log.warn({ deviceId: id, name, addresses }, 'Two machines use the identity of one device.')
  await app.audit.record(systemCall(app).actor, { kind: 'device.two-machines', device, details: { addresses } })
  // Both machines report again, and both are rejected with the reason.
  app.hubs.agent.disconnect(connectionId)
}

/** Returns why a report of a known device is refused because two machines use its identity; undefined for one machine. */
export async function problemOfTwo(
  app: App,
  device: DeviceState,
  report: DeviceReport,
  { connectionId, remoteAddress }: Origin,
): Promise<string | undefined> {
  const { sharedIdentities, hubs } = app
  const { id: deviceId } = device
  if (sharedIdentities.rivals.has(deviceId)) {
    sharedIdentities.noteRefused(deviceId, connectionId)
    return twoMachines
  }
  const settled = sharedIdentities.settled.get(deviceId)
  const rival = settled && rivalOf(settled.rivals, report, remoteAddress)
  if (settled && rival && rival.id !== settled.keptId) {
    const key: EnrollAnew | undefined = sharedIdentities.keys.get(deviceId)
    if (key) {
      void hubs.agent.send(connectionId).ReceiveDto(agentMessage(enrollAnewType, key))
    }
    return replaced
  }
  if (device.connectionId === '' || device.connectionId === connectionId) {
    return undefined
  }
  const takeover = takeoverOf(app, device, report, { connectionId, remoteAddress })
  if (!sharedIdentities.note(takeover)) {
    if (sharedIdentities.isWatched(deviceId)) {
      // Before the device is claimed: the server of the displaced connection asks it, and does not close it.
      await publishUpdate(app, { deviceId, takeover })
    }
    return undefined
  }
  await separate(app, device, [takeover.from.machine, takeover.to.machine])
  sharedIdentities.noteRefused(deviceId, connectionId)
  return twoMachines
}

/** The change of a device from its connection to another one. */
function takeoverOf({ hubs, sharedIdentities }: App, device: DeviceState, report: DeviceReport, to: Origin): Takeover {
  const { id: deviceId, connectionId } = device
  // Empty for a connection of another server: then both machines are compared without it.
  const address = hubs.agent.addressOf(connectionId)
  const known = sharedIdentities.holderOf(deviceId, connectionId)
  return {
    deviceId,
    from: known ?? { connectionId, machine: machineOf(device, address) },
    to: { connectionId: to.connectionId, machine: machineOf(report, address === '' ? '' : to.remoteAddress) },
  }
}

/**
 * Asks the connection that a stored report displaced to report again. A machine that is still there does; the connection
 * of a machine that reconnected is dead. Where servers share the database, the claim of a device has asked already.
 */
export function askDisplaced({ cluster, hubs, sharedIdentities }: App, device: DeviceState, displacedId: string): void {
  const isDisplaced = displacedId !== '' && displacedId !== device.connectionId
  if (!cluster && isDisplaced && sharedIdentities.isWatched(device.id)) {
    void hubs.agent.send(displacedId).RefreshDeviceInfo()
  }
}

/**
 * Closes a connection that no longer represents a device. A connection that may belong to a second machine stays open and
 * is asked for a report.
 */
export function endConnection({ hubs, sharedIdentities }: App, connectionId: string, displacedFrom?: string): void {
  if (displacedFrom !== undefined && sharedIdentities.isWatched(displacedFrom)) {
    void hubs.agent.send(connectionId).RefreshDeviceInfo()
  } else {
    hubs.agent.disconnect(connectionId)
  }
}

/**
 * Stores a choice between two machines with its audit event. Returns the machines of the row, and `isNew` as false if
 * somebody else has chosen already.
 */
async function storeChoice(
  { app, actor }: Call,
  device: DeviceState,
  { known, machineId }: { known: Rivals; machineId: string },
): Promise<{ two: TwoMachines; isNew: boolean }> {
  const { audit, clock, database, models } = app
  return database.write(async (transaction) => {
    const row = await models.DeviceEvidence.findByPk(device.id, { transaction })
    const stored = row ? (JSON.parse(row.evidence) as Evidence) : {}
    if (stored.twoMachines && keptIdOf(stored.twoMachines) !== undefined) {
      return { two: stored.twoMachines, isNew: false }
    }
    // The row lacks the machines if storing them failed when they were noticed.
    const rivals = stored.twoMachines?.rivals ?? known
    const kept = rivals.find(({ id }) => id === machineId)
    if (!kept) {
      throw notFound('machine')
    }
    const two = { at: clock.now(), rivals, keptId: kept.id }
    const evidence = JSON.stringify({ ...stored, twoMachines: two })
    await models.DeviceEvidence.upsert({ deviceId: device.id, evidence }, { transaction })
    const details = { machine: kept.name, addresses: kept.addresses.join(', ') }
    await audit.recordIn(transaction, actor, [{ kind: 'device.machine-kept', device, details }])
    return { two, isNew: true }
  })
}

/** Creates a key for the machine that was not chosen, if the caller may enroll: a key needs both permissions of its creator. */
async function enrollmentKey(call: Call, device: DeviceState): Promise<EnrollAnew | undefined> {
  const needed = ['installer-key.write', 'agent.install'] as const
  if (!needed.every((permission) => holds(call.app, call.principal, permission, device.tenantId))) {
    return undefined
  }
  const { key, secret } = await createInstallerKey(call, device.tenantId, {
    keyType: 'UsageBased',
    allowedUses: 1,
    expiration: null,
    friendlyName: cutText(`Second machine of ${device.alias ?? device.name}`, 100),
  })
  return { installerKeyId: key.id, installerKeySecret: secret }
}

/** Lets one of two machines keep the identity of a device. The other one is enrolled anew, if the caller may enroll. */
export async function keepMachine(call: Call, device: DeviceState, machineId: string): Promise<void> {
  const { app } = call
  const known = app.sharedIdentities.rivals.get(device.id)
  if (!known) {
    throw conflict('This device has no two machines to choose from.')
  }
  const { two, isNew } = await storeChoice(call, device, { known, machineId })
  if (!isNew) {
    followRow(app, device.id, two)
    throw conflict('Somebody else has just chosen the machine that stays.')
  }
  let key: EnrollAnew | undefined
  try {
    key = await enrollmentKey(call, device)
  } finally {
    // The choice is stored, with a key or without.
    applyUpdate(app, { deviceId: device.id, two, key })
    await publishUpdate(app, { deviceId: device.id, two, key })
  }
}

/** Forgets both machines of a device that was registered again: whoever has its new key is the device. */
export async function forgetTwoMachines(app: App, deviceId: string): Promise<void> {
  const { rivals, settled } = app.sharedIdentities
  if (rivals.has(deviceId) || settled.has(deviceId)) {
    app.sharedIdentities.forget(deviceId)
    await storeEvidence(app, deviceId, { twoMachines: null })
    await publishUpdate(app, { deviceId, two: null })
  }
}

/** Notes two machines of a device, or the choice between them. */
function applyUpdate({ sharedIdentities, hubs }: App, { deviceId, two, key }: MachineUpdate): void {
  const refused = sharedIdentities.refused.get(deviceId) ?? []
  sharedIdentities.forget(deviceId)
  if (!two) {
    return
  }
  const { rivals } = two
  const keptId = keptIdOf(two)
  if (keptId === undefined) {
    sharedIdentities.rivals.set(deviceId, rivals)
    return
  }
  sharedIdentities.settled.set(deviceId, { rivals, keptId })
  if (key) {
    sharedIdentities.keys.set(deviceId, key)
  }
  // Both machines reconnect at once: one comes online, the other one is rejected with the reason.
  refused.forEach((connectionId) => hubs.agent.disconnect(connectionId))
}

/** Notes the machines of a stored row if they or the choice between them differ from what this server knows. */
function followRow(app: App, deviceId: string, two: TwoMachines): void {
  const { rivals, settled } = app.sharedIdentities
  const open = rivals.get(deviceId)
  const known = open ? { rivals: open, keptId: undefined } : settled.get(deviceId)
  const keptId = keptIdOf(two)
  const isKnown = known?.keptId === keptId && known?.rivals.every(({ id }, place) => id === two.rivals[place]!.id)
  if (!isKnown) {
    applyUpdate(app, { deviceId, two })
  }
}

/** Loads devices with two machines from the database, and forgets devices whose row no longer lists two. */
async function loadTwoMachines({ app, changed }: { app: App; changed: ReadonlySet<string> }): Promise<void> {
  const { rivals, settled } = app.sharedIdentities
  const unlisted = new Set([...rivals.keys(), ...settled.keys()])
  const where = { evidence: { [Op.like]: '%"twoMachines"%' } }
  const rows = await app.models.DeviceEvidence.findAll({ where, raw: true })
  const slice = new TimeSlice()
  for (const { deviceId, evidence } of rows) {
    if (slice.isOver) {
      await slice.yield()
    }
    const { twoMachines: two } = JSON.parse(evidence) as Evidence
    if (two) {
      unlisted.delete(deviceId)
      if (!changed.has(deviceId)) {
        followRow(app, deviceId, two)
      }
    }
  }
  unlisted.forEach((deviceId) => {
    if (!changed.has(deviceId)) {
      app.sharedIdentities.forget(deviceId)
    }
  })
}

/** Reads devices with two machines, and follows what other servers find. */
export async function startTwoMachines(app: App): Promise<void> {
  const { cluster, sharedIdentities } = app
  const failed = (error: unknown) => app.log.error({ err: error }, 'Two machines of a device could not be noted.')
  const load = () => sharedIdentities.read((changed) => loadTwoMachines({ app, changed }))
  await load()
  cluster?.answer(updateMethod, async (body) => {
    const update = body as MachineUpdate
    const { deviceId, takeover, two } = update
    const device = app.fleet.get(deviceId)
    if (takeover && device && sharedIdentities.note(takeover)) {
      void separate(app, device, [takeover.from.machine, takeover.to.machine]).catch(failed)
    } else if (two !== undefined) {
      applyUpdate(app, update)
      endSessionsOf(app, deviceId, twoMachines)
    }
  })
  cluster?.onMissed(() => void load().catch(failed))
}
