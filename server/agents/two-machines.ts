import { cutText } from '../../shared/cut-text.ts'
import { enrollAnewType, type EnrollAnew } from '../../shared/dtos/enroll-anew.ts'
import { systemCall, type App, type Call } from '../call/call.ts'
import { conflict, notFound } from '../ground/errors.ts'
import { agentMessage } from '../devices/calls.ts'
import { machineOf, rivalOf, type Rivals } from '../devices/shared-identities.ts'
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

/** Records that a device has two machines: nothing is asked of either from now on. */
async function separate(app: App, device: DeviceState, rivals: Rivals): Promise<void> {
  const { id, connectionId, name } = device
  endSessionsOf(app, id, twoMachines)
  await app.fleet.disconnect(id, connectionId)
  app.streams.drop(connectionId)
  await storeEvidence(app, id, { twoMachines: { at: app.clock.now(), rivals } })
  const addresses = rivals.map((rival) => rival.addresses.at(-1) ?? '').join(', ')
  app.log.warn({ deviceId: id, name, addresses }, 'Two machines use the identity of one device.')
  await app.audit.record(systemCall(app).actor, { kind: 'device.two-machines', device, details: { addresses } })
  // Both report again, and are told.
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
  const machine = machineOf(report, remoteAddress)
  if (sharedIdentities.rivals.has(deviceId)) {
    sharedIdentities.noteRefused(deviceId, connectionId)
    return twoMachines
  }
  const settled = sharedIdentities.settled.get(deviceId)
  const rival = settled && rivalOf(settled.rivals, machine)
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
  const from = {
    connectionId: device.connectionId,
    machine: machineOf(device, hubs.agent.addressOf(device.connectionId)),
  }
  if (!sharedIdentities.note({ deviceId, from, to: { connectionId, machine } })) {
    return undefined
  }
  await separate(app, device, [from.machine, machine])
  sharedIdentities.noteRefused(deviceId, connectionId)
  return twoMachines
}

/**
 * Asks the connection that a stored report displaced to report again. A machine that is still there does; the connection
 * of a machine that reconnected is dead.
 */
export function askDisplaced({ hubs, sharedIdentities }: App, device: DeviceState, displacedId: string): void {
  if (displacedId !== '' && displacedId !== device.connectionId && sharedIdentities.isWatched(device.id)) {
    void hubs.agent.send(displacedId).RefreshDeviceInfo()
  }
}

/** Lets one of two machines keep the identity of a device. The other one is enrolled anew, if the caller may enroll. */
export async function keepMachine(call: Call, device: DeviceState, machineId: string): Promise<void> {
  const { app, principal, actor } = call
  const { sharedIdentities } = app
  const rivals = sharedIdentities.rivals.get(device.id)
  if (!rivals) {
    throw conflict('This device has no two machines to choose from.')
  }
  const kept = rivals.find(({ id }) => id === machineId)
  if (!kept) {
    throw notFound('machine')
  }
  const isEnrolling = holds(app, principal, 'installer-key.write', device.tenantId)
  const made = isEnrolling
    ? await createInstallerKey(call, device.tenantId, {
        keyType: 'UsageBased',
        allowedUses: 1,
        expiration: null,
        friendlyName: cutText(`Second machine of ${device.alias ?? device.name}`, 100),
      })
    : undefined
  await storeEvidence(app, device.id, { twoMachines: { at: app.clock.now(), rivals, keptId: kept.id } })
  const refused = sharedIdentities.refused.get(device.id) ?? []
  sharedIdentities.forget(device.id)
  sharedIdentities.settled.set(device.id, { rivals, keptId: kept.id })
  if (made) {
    sharedIdentities.keys.set(device.id, { installerKeyId: made.key.id, installerKeySecret: made.secret })
  }
  // Both reconnect at once: one comes online, the other one is told.
  refused.forEach((connectionId) => app.hubs.agent.disconnect(connectionId))
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
  }
}

/** Reads devices with two machines after a start. */
export async function restoreTwoMachines({ models, sharedIdentities }: App): Promise<void> {
  for (const { deviceId, evidence } of await models.DeviceEvidence.findAll({ raw: true })) {
    const { twoMachines } = JSON.parse(evidence) as Evidence
    if (twoMachines?.keptId !== undefined) {
      sharedIdentities.settled.set(deviceId, { rivals: twoMachines.rivals, keptId: twoMachines.keptId })
    } else if (twoMachines) {
      sharedIdentities.rivals.set(deviceId, twoMachines.rivals)
    }
  }
}
