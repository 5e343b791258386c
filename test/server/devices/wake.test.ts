import { expect, test } from 'vitest'
import type { Call } from '../../../server/call/call.ts'
import type { DeviceState } from '../../../server/fleet/device-state.ts'
import { wakeDevice } from '../../../server/devices/wake.ts'

const device = (id: string, connectionId: string) =>
  ({
    id,
    connectionId,
    tenantId: 't',
    customerId: null,
    publicIpV4: '192.0.2.1',
    macAddresses: ['001122AABBCC'],
  }) as unknown as DeviceState

test('other requests are served while very many neighbours are sent a wake message (T26)', async () => {
  const sleeper = device('sleeper', '')
  const neighbours = Array.from({ length: 60 }, (_, index) => device(`neighbour-${index}`, `connection-${index}`))
  let told = 0
  const InvokeWakeDevice = async () => {
    // Takes as long as messages to a few hundred devices.
    const end = performance.now() + 1
    while (performance.now() < end) {
      told += 0
    }
    told++
  }
  const call = {
    app: {
      fleet: { all: [sleeper, ...neighbours] },
      hubs: { agent: { send: () => ({ InvokeWakeDevice }) } },
      database: { batch: () => ({ run: async () => ({ changes: 1 }) }) },
      audit: { record: async () => {} },
      clock: { now: () => 0 },
      log: { info: () => {}, warn: () => {} },
    },
  } as unknown as Call
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
