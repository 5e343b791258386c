import { expect, test } from 'vitest'
import type { Call } from '../../../server/call/call.ts'
import type { DeviceState } from '../../../server/fleet/device-state.ts'
import { wakeDevice } from '../../../server/devices/wake.ts'

const device = (id: string, connectionId: string, localIpV4 = '10.0.0.1') =>
  ({
    id,
    connectionId,
    tenantId: 't',
    customerId: null,
    publicIpV4: '192.0.2.1',
    localIpV4,
    macAddresses: ['001122AABBCC'],
  }) as unknown as DeviceState

/** Call of somebody who wakes a device; `wake` receives the connection of each neighbor that sends. */
const callWith = (all: DeviceState[], wake: (connectionId: string) => void) =>
  ({
    app: {
      fleet: { all },
      hubs: { agent: { send: (connectionId: string) => ({ InvokeWakeDevice: async () => wake(connectionId) }) } },
      database: { batch: () => ({ run: async () => ({ changes: 1 }) }) },
      audit: { record: async () => {} },
      clock: { now: () => 0 },
      log: { info: () => {}, warn: () => {} },
    },
  }) as unknown as Call

test('other requests are served while many neighbours are sent a wake message (T26)', async () => {
  const sleeper = device('sleeper', '')
  const neighbours = Array.from({ length: 20 }, (_, index) => device(`neighbour-${index}`, `connection-${index}`))
  let told = 0
  const call = callWith([sleeper, ...neighbours], () => {
    // Takes as long as messages to a few hundred devices.
    const end = performance.now() + 1
    while (performance.now() < end) {
      told += 0
    }
    told++
  })
  const toldAtOtherTurns = new Set<number>()
  const look = () => {
    toldAtOtherTurns.add(told)
    if (told < neighbours.length) {
      setImmediate(look)
    }
  }
  setImmediate(look)
  expect((await wakeDevice(call, sleeper, [])).isSuccess).toBe(true)
  expect(told).toBe(neighbours.length)
  expect([...toldAtOtherTurns].filter((count) => count > 0 && count < neighbours.length).length).toBeGreaterThan(1)
})

test('T26: of a large site at most 20 devices send, from the subnet of the device and from all others', async () => {
  const sleeper = device('sleeper', '', '10.0.0.1')
  const subnets = Array.from({ length: 8 }, (_, subnet) => `10.0.${subnet}.2`)
  const neighbours = Array.from({ length: 800 }, (_, index) => device(`n${index}`, `c${index}`, subnets[index % 8]))
  const senders: string[] = []
  const result = await wakeDevice(
    callWith([sleeper, ...neighbours], (id) => void senders.push(id)),
    sleeper,
    [],
  )
  expect(result.value).toBe('Magic packet broadcast by 20 devices with public IP 192.0.2.1.')
  const subnetOfSender = (id: string) => Number(id.slice(1)) % 8
  expect(new Set(senders).size).toBe(20)
  expect(new Set(senders.map(subnetOfSender)).size).toBe(8)
  expect(senders.filter((id) => subnetOfSender(id) === 0).length).toBeGreaterThanOrEqual(10)
})
