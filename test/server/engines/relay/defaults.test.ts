/** Limits of a relay that is given none. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { manualClock } from '../../../support/clock.ts'
import { steady } from '../../../support/until.ts'
import { useTestRelay } from '../../../support/test-relay.ts'

const timedOut = { status: 408, body: 'Timed out while waiting for partner.' }

test.each([
  ['names no timeout', undefined, 20_000],
  ['asks for no limit', 0, 300_000],
  ['asks for an hour', 3_600, 300_000],
])('a peer that %s (%s s) waits %s ms for its partner', async (_, timeout, ms) => {
  const clock = manualClock()
  const relay = await useTestRelay({ clock })
  const peer = relay.requester(relay.announce({ waitMs: 3_600_000 }), { timeout })
  await relay.waits(1)
  clock.advance(ms - 1)
  expect(await steady(() => relay.relay.sizes.waiting, 3)).toBe(1)
  clock.advance(1)
  expect(await peer.opened).toEqual(timedOut)
})

test('a principal has 20 requesters that wait for an announcement, an address has 200; one more is rejected', async () => {
  const relay = await useTestRelay({ clock: manualClock() })
  const early = (identity: string, from: string) =>
    relay.connect({ sessionId: randomUUID(), accessToken: 'secret', role: 'requester' }, { identity, from })
  for (let count = 0; count < 200; count++) {
    early(`viewer ${Math.floor(count / 20)}`, 'here')
  }
  await relay.waits(200)
  expect(await early('viewer 0', 'elsewhere').opened).toMatchObject({ status: 429 })
  expect(await early('somebody', 'here').opened).toMatchObject({ status: 429 })
  early('somebody', 'elsewhere')
  await relay.waits(201)
})

test('a requester has 100 sessions; the next announcement is rejected', async () => {
  const relay = await useTestRelay()
  const sessions = Array.from({ length: 100 }, () => relay.announce())
  expect(() => relay.announce()).toThrow('too many sessions')
  relay.announce({ requester: 'somebody else' })
  sessions[0]!.session.end('over')
  relay.announce()
})
