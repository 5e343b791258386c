import { failureOf, successOf } from '../../shared/dtos/hub-result.ts'
import type { Call } from '../call/call.ts'
import { inSlices } from '../ground/clock.ts'
import { noteEvidence } from './absence-evidence.ts'
import type { DeviceState } from '../fleet/device-state.ts'

/** Maximum number of neighbors that send a magic packet: somebody with a right to one device does not stir a whole site (T26). */
const mostSenders = 20

/** Normalizes a MAC address to 12 hexadecimal digits; undefined for an invalid address. */
function bareMac(text: string): string | undefined {
  const digits = text.replace(/[-:. ]/g, '').toUpperCase()
  return /^[\dA-F]{12}$/.test(digits) ? digits : undefined
}

/** Online devices of the same customer behind the same public address, most likely on the same network. */
export const neighborsOf = ({ app }: Pick<Call, 'app'>, device: DeviceState): DeviceState[] =>
  [...app.fleet.all].filter(
    ({ id, connectionId, tenantId, customerId, publicIpV4 }) =>
      id !== device.id &&
      connectionId !== '' &&
      tenantId === device.tenantId &&
      customerId === device.customerId &&
      publicIpV4 === device.publicIpV4,
  )

export const subnetOf = ({ localIpV4 }: DeviceState): string => localIpV4.split('.').slice(0, 3).join('.')

/** Neighbors that send: half from the subnet of the device, then one of each other subnet, at random. */
function sendersOf(device: DeviceState, neighbors: readonly DeviceState[]): readonly DeviceState[] {
  if (neighbors.length <= mostSenders) {
    return neighbors
  }
  const shuffled = neighbors
    .map((neighbor) => ({ neighbor, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ neighbor }) => neighbor)
  const bySubnet = Map.groupBy(shuffled, subnetOf)
  const own = (bySubnet.get(subnetOf(device)) ?? []).slice(0, mostSenders / 2)
  const oneOfEach = [...bySubnet.values()].flatMap(([first]) => first ?? [])
  return [...new Set([...own, ...oneOfEach, ...shuffled])].slice(0, mostSenders)
}

/** Sends a magic packet for a device from neighbors. The result's value describes what was sent. */
export async function wakeDevice(call: Call, device: DeviceState, wanted: readonly string[]) {
  const macAddresses = (wanted.length > 0 ? wanted : device.macAddresses).flatMap((text) => bareMac(text) ?? [])
  if (macAddresses.length === 0) {
    return failureOf('None of these is a MAC address: 12 hexadecimal digits, with or without separators.')
  }
  const address = device.publicIpV4
  if (address === '') {
    return successOf(
      'The target device has no known public IP, so no network neighbors could be found to broadcast the magic packet.',
    )
  }
  const neighbors = sendersOf(device, neighborsOf(call, device))
  if (neighbors.length === 0) {
    return successOf(
      `No online devices sharing public IP ${address} were found. The target may need an online agent on the same network to be woken.`,
    )
  }
  const sent: Promise<void>[] = []
  for await (const { connectionId } of inSlices(neighbors)) {
    sent.push(call.app.hubs.agent.send(connectionId).InvokeWakeDevice({ macAddresses }))
  }
  await Promise.all(sent)
  const neighbourIds = neighbors.map(({ id }) => id)
  await noteEvidence(call.app, device.id, { wake: { at: call.app.clock.now(), neighbourIds } })
  await call.app.audit.record(call.actor, { kind: 'device.woken', device })
  call.app.log.info(
    { actor: call.actor, deviceId: device.id, neighbours: neighbors.length },
    'Magic packets were sent for a device.',
  )
  const noun = neighbors.length === 1 ? 'device' : 'devices'
  return successOf(`Magic packet broadcast by ${neighbors.length} ${noun} with public IP ${address}.`)
}
