import { expect, test } from 'vitest'
import { SharedIdentities, type MachineConnection } from '../../../server/agents/shared-identities.ts'
import { deferred } from '../../../shared/deferred.ts'
import { manualClock } from '../../support/clock.ts'

test('a second reading begins when the first has ended, also when the first fails', async () => {
  const identities = new SharedIdentities(manualClock())
  const slow = deferred<void>()
  const order: string[] = []
  const first = identities.read(async () => {
    order.push('first begins')
    await slow.promise
    order.push('first fails')
    throw new Error('The database is away')
  })
  const second = identities.read(async () => void order.push('second'))
  slow.resolve()
  await expect(first).rejects.toThrow('The database is away')
  await second
  expect(order).toEqual(['first begins', 'first fails', 'second'])
})

test('a reading learns the devices that changed during it, and none from before', async () => {
  const identities = new SharedIdentities(manualClock())
  identities.forget('before')
  await identities.read(async (changed) => {
    identities.forget('meanwhile')
    expect([...changed]).toEqual(['meanwhile'])
  })
})

test('a machine that reports twice before its first report is stored has taken the device over once', () => {
  const identities = new SharedIdentities(manualClock())
  const at = (id: string): MachineConnection => {
    const facts = { name: id, osDescription: '', processorCount: 1, totalMemory: 1, macAddresses: [], addresses: [] }
    return { connectionId: `connection of ${id}`, machine: { id, ...facts } }
  }
  const [office, copy] = [at('office'), at('copy')]
  const changes = [
    [office, copy],
    [copy, office],
    [copy, office],
    [office, copy],
  ] as const
  const proofs = changes.map(([from, to]) => identities.note({ deviceId: 'device', from, to }))
  expect(proofs).toEqual([false, false, false, true])
})
