import { cutText } from '../../shared/cut-text.ts'
import { enrollAnewType, type EnrollAnew } from '../../shared/dtos/enroll-anew.ts'
import { systemCall, type App, type Call } from '../call/call.ts'
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

const updateMethod = 'machines.update'

/** Message to the other servers about the machines of a device. */
interface MachineUpdate {
  deviceId: string
  /** A machine took the device over from another one. */
  takeover?: Takeover
  /** Two machines, or the choice between them; null where the device was registered again. */
  two?: Required<Evidence>['twoMachines']
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
  await app.fleet.disconnect(id, connectionId)
  app.streams.drop(connectionId)
  const two = { at: app.clock.now(), rivals }
  await storeEvidence(app, id, { twoMachines: two })
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

/** Stores a choice between two machines. Throws 409 for the second of two people who choose at the same time. */
async function storeChoice({ database, models }: App, deviceId: string, two: Evidence['twoMachines']): Promise<void> {
  await database.write(async (transaction) => {
    const row = await models.DeviceEvidence.findByPk(deviceId, { transaction })
    const evidence = row ? (JSON.parse(row.evidence) as Evidence) : {}
    if (!row || !evidence.twoMachines || evidence.twoMachines.keptId !== undefined) {
      throw conflict('Somebody else has just chosen the machine that stays.')
    }
    await row.update({ evidence: JSON.stringify({ ...evidence, twoMachines: two }) }, { transaction })
  })
}

/** Creates a key for the machine that was not chosen, if the caller may enroll. */
async function enrollmentKey(call: Call, device: DeviceState): Promise<EnrollAnew | undefined> {
  if (!holds(call.app, call.principal, 'installer-key.write', device.tenantId)) {
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
  const { app, actor } = call
  const rivals = app.sharedIdentities.rivals.get(device.id)
  if (!rivals) {
    throw conflict('This device has no two machines to choose from.')
  }
  const kept = rivals.find(({ id }) => id === machineId)
  if (!kept) {
    throw notFound('machine')
  }
  const two = { at: app.clock.now(), rivals, keptId: kept.id }
  await storeChoice(app, device.id, two)
  let key: EnrollAnew | undefined
  try {
    key = await enrollmentKey(call, device)
  } finally {
    // The choice is stored, with a key or without.
    applyUpdate(app, { deviceId: device.id, two, key })
    await publishUpdate(app, { deviceId: device.id, two, key })
  }
  await app.audit.record(actor, {
    kind: 'device.machine-kept',
    device,
    details: { machine: kept.name, addresses: kept.addresses.join(', ') },
  })
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
  if (two?.keptId === undefined) {
    if (two) {
      sharedIdentities.rivals.set(deviceId, two.rivals)
    }
    return
  }
  sharedIdentities.settled.set(deviceId, { rivals: two.rivals, keptId: two.keptId })
  if (key) {
    sharedIdentities.keys.set(deviceId, key)
  }
  // Both machines reconnect at once: one comes online, the other one is rejected with the reason.
  refused.forEach((connectionId) => hubs.agent.disconnect(connectionId))
}

/** Loads devices with two machines from the database, and forgets devices whose row no longer lists two. */
async function loadTwoMachines(app: App): Promise<void> {
  const { rivals, settled } = app.sharedIdentities
  const known = new Set([...rivals.keys(), ...settled.keys()])
  for (const { deviceId, evidence } of await app.models.DeviceEvidence.findAll({ raw: true })) {
    const { twoMachines: two } = JSON.parse(evidence) as Evidence
    if (two) {
      known.delete(deviceId)
      if (two.keptId === undefined ? !rivals.has(deviceId) : settled.get(deviceId)?.keptId !== two.keptId) {
        applyUpdate(app, { deviceId, two })
      }
    }
  }
  known.forEach((deviceId) => app.sharedIdentities.forget(deviceId))
}

/** Reads devices with two machines, and follows what other servers find. */
export async function startTwoMachines(app: App): Promise<void> {
  const { cluster, sharedIdentities } = app
  const failed = (error: unknown) => app.log.error({ err: error }, 'Two machines of a device could not be noted.')
  await loadTwoMachines(app)
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
  cluster?.onMissed(() => void loadTwoMachines(app).catch(failed))
}
