import { Op } from 'sequelize'
import { enrollAnewType } from '../../shared/dtos/enroll-anew.ts'
import type { App, Call } from '../call/call.ts'
import { inSlices } from '../ground/clock.ts'
import { conflict } from '../ground/errors.ts'
import { agentMessage } from '../devices/calls.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { DeviceReport } from '../fleet/tables.ts'
import { endSessionsOf } from '../remote/session-lifecycle.ts'
import { storeEvidence, type Evidence } from '../devices/absence-evidence.ts'
import type { Rivals } from '../devices/tables.ts'
import { machineOf, rivalOf, type Takeover } from './shared-identities.ts'
import {
  addressesOf,
  isSame,
  keptIdOf,
  storeChoice,
  storedKey,
  storeRivals,
  type TwoMachines,
} from './stored-machines.ts'

const twoMachines =
  'Two machines use the identity of this device, so this server takes no commands for either. Choose on the page of the ' +
  'device which of them stays.'
const replaced =
  'Another machine keeps the identity that this one shared with it. This machine is enrolled as a new device, or run the ' +
  'install command on it again.'

/** Pause before an overtaken machine reports again: its clock may be behind that of the other one. */
const overtakenMs = 1_000

interface Origin {
  connectionId: string
  remoteAddress: string
}

const updateMethod = 'machines.update'

/** Message to the other servers about the machines of a device. */
interface MachineUpdate {
  deviceId: string
  /** A machine took the device over from another one. Without it, the stored row of the device has changed. */
  takeover?: Takeover
}

/** Sends an update to the other servers and waits up to 2 s for each. A server that missed it reads the rows again. */
async function publishUpdate({ cluster }: App, update: MachineUpdate): Promise<void> {
  await cluster?.askOthers(updateMethod, update)
}

/** Records that a device has two machines: nothing is asked of either from now on. */
async function separate(app: App, device: DeviceState, rivals: Rivals): Promise<void> {
  const { id, connectionId, name } = device
  endSessionsOf(app, id, twoMachines)
  const stored = storeRivals(app, device, rivals)
  const disconnected = app.fleet.disconnect(id, connectionId).then(() => app.streams.drop(connectionId))
  const [{ two, isNew }] = await Promise.all([stored, disconnected])
  followRow(app, id, two)
  if (isNew) {
    await publishUpdate(app, { deviceId: id })
    app.log.warn({ deviceId: id, name, addresses: addressesOf(rivals) }, 'Two machines use the identity of one device.')
  }
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
    // Read from the row, so that each server has the key, also after a restart.
    const key = await storedKey(app, deviceId)
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
 * Asks a connection for another report after one that was older than an accepted one of the device, as where the database answers
 * late: a second machine would wait for its next heartbeat.
 */
export function askOvertaken({ clock, cluster, hubs, sharedIdentities }: App, deviceId: string, connectionId: string) {
  if (cluster && sharedIdentities.isWatched(deviceId)) {
    clock.after(overtakenMs, () => void hubs.agent.send(connectionId).RefreshDeviceInfo())
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

/** Lets one of two machines keep the identity of a device. The other one is enrolled anew, if the caller may enroll. */
export async function keepMachine(call: Call, device: DeviceState, machineId: string): Promise<void> {
  const { app } = call
  const known = app.sharedIdentities.rivals.get(device.id)
  if (!known) {
    throw conflict('This device has no two machines to choose from.')
  }
  const { two, isNew } = await storeChoice(call, device, { known, machineId })
  followRow(app, device.id, two)
  if (!isNew) {
    throw conflict('Somebody else has just chosen the machine that stays.')
  }
  await publishUpdate(app, { deviceId: device.id })
}

/** Forgets both machines of a device that was registered again: whoever has its new key is the device. */
export async function forgetTwoMachines(app: App, deviceId: string): Promise<void> {
  const { rivals, settled } = app.sharedIdentities
  if (rivals.has(deviceId) || settled.has(deviceId)) {
    app.sharedIdentities.forget(deviceId)
    await storeEvidence(app, deviceId, { twoMachines: null })
    await publishUpdate(app, { deviceId })
  }
}

/** Notes the machines of a stored row if they or the choice between them differ from what this server knows. */
function followRow(app: App, deviceId: string, two: TwoMachines): void {
  const { sharedIdentities, hubs } = app
  const { rivals, settled } = sharedIdentities
  const open = rivals.get(deviceId)
  if (isSame(two, open ? { rivals: open, keptId: undefined } : settled.get(deviceId))) {
    return
  }
  const refused = sharedIdentities.refused.get(deviceId) ?? []
  sharedIdentities.forget(deviceId)
  const keptId = keptIdOf(two)
  if (keptId === undefined) {
    rivals.set(deviceId, two.rivals)
    refused.forEach((connectionId) => sharedIdentities.noteRefused(deviceId, connectionId))
    endSessionsOf(app, deviceId, twoMachines)
    return
  }
  settled.set(deviceId, { rivals: two.rivals, keptId })
  // Both machines reconnect at once: one comes online, the other one is rejected with the reason.
  refused.forEach((connectionId) => hubs.agent.disconnect(connectionId))
}

/** Reads the rows of all devices, or of one: notes those with two machines, and forgets those whose row no longer lists two. */
async function loadTwoMachines(app: App, changed: ReadonlySet<string>, deviceId?: string): Promise<void> {
  const { rivals, settled } = app.sharedIdentities
  const unlisted = new Set(deviceId === undefined ? [...rivals.keys(), ...settled.keys()] : [deviceId])
  const where = { evidence: { [Op.like]: '%"twoMachines"%' }, ...(deviceId !== undefined && { deviceId }) }
  const rows = await app.models.DeviceEvidence.findAll({ where, raw: true })
  for await (const row of inSlices(rows)) {
    const { twoMachines: two } = JSON.parse(row.evidence) as Evidence
    if (two) {
      unlisted.delete(row.deviceId)
      if (!changed.has(row.deviceId)) {
        followRow(app, row.deviceId, two)
      }
    }
  }
  unlisted.forEach((id) => {
    if (!changed.has(id)) {
      app.sharedIdentities.forget(id)
    }
  })
}

/** Reads devices with two machines, and follows what other servers find. */
export async function startTwoMachines(app: App): Promise<void> {
  const { cluster, sharedIdentities } = app
  const failed = (error: unknown) => app.log.error({ err: error }, 'Two machines of a device could not be noted.')
  const load = (deviceId?: string) => sharedIdentities.read((changed) => loadTwoMachines(app, changed, deviceId))
  await load()
  cluster?.answer(updateMethod, async (body) => {
    const { deviceId, takeover } = body as MachineUpdate
    if (!takeover) {
      await load(deviceId)
      return
    }
    const device = app.fleet.get(deviceId)
    if (device && sharedIdentities.note(takeover)) {
      void separate(app, device, [takeover.from.machine, takeover.to.machine]).catch(failed)
    }
  })
  cluster?.onMissed(() => void load().catch(failed))
}
