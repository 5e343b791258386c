import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Lookups } from '../../server/engines/outgoing/lookups.ts'
import { later } from '../support/until.ts'

/* T44: a silent name server that some tenants use does not keep others from their webhooks and notifications. */

const found = [{ address: '192.0.2.1', family: 4 }]
/** Time after which lookups at the silent name server end. */
const silentMs = 12_000

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** Looks up names; those of `.silent` have a silent name server. Also returns the most lookups at once. */
function useLookups() {
  let running = 0
  let most = 0
  const lookups = new Lookups(async (host) => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => later(host.endsWith('.silent') ? silentMs : 5, resolve))
    running--
    return found
  })
  /** Starts a lookup; `answer` is its outcome so far. */
  const ask = (tenantId: string, host: string, signal?: AbortSignal) => {
    const asked: { answer: unknown } = { answer: 'waiting' }
    void lookups.addressesOf(tenantId, host, signal).then((answer) => (asked.answer = answer))
    return asked
  }
  return { ask, most: () => most }
}

test('names of other tenants at a silent name server delay the first lookup of a tenant, lose none, and delay no later one', async () => {
  const { ask, most } = useLookups()
  const silent = ['a', 'b'].flatMap((tenant) => Array.from({ length: 8 }, () => ask(tenant, 'name.silent')))
  const first = ask('c', 'fast.example')
  await vi.advanceTimersByTimeAsync(silentMs - 10)
  expect(first.answer).toBe('waiting')
  await vi.advanceTimersByTimeAsync(20)
  expect(first.answer).toEqual(found)
  for (let n = 0; n < 20; n++) {
    const next = ask('c', 'fast.example')
    await vi.advanceTimersByTimeAsync(10)
    expect(next.answer).toEqual(found)
    await vi.advanceTimersByTimeAsync(3_000)
  }
  await vi.advanceTimersByTimeAsync(16 * silentMs)
  expect(silent.map(({ answer }) => answer)).toEqual(Array(16).fill(undefined))
  expect(most()).toBe(2)
})

test('a tenant whose name server was silent is served like others ten minutes later', async () => {
  const { ask } = useLookups()
  ask('a', 'name.silent')
  await vi.advanceTimersByTimeAsync(silentMs)
  ask('b', 'name.silent')
  await vi.advanceTimersByTimeAsync(silentMs)
  ask('b', 'name.silent')
  const soon = ask('a', 'fast.example')
  await vi.advanceTimersByTimeAsync(10)
  expect(soon.answer).toBe('waiting')
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(soon.answer).toEqual(found)
  ask('b', 'name.silent')
  const afterwards = ask('a', 'fast.example')
  await vi.advanceTimersByTimeAsync(10)
  expect(afterwards.answer).toEqual(found)
})

test('a lookup that its caller ends while it waits is never made', async () => {
  const { ask, most } = useLookups()
  const end = new AbortController()
  ask('a', 'name.silent')
  const ended = ask('a', 'name.silent', end.signal)
  end.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(ended.answer).toBeUndefined()
  const next = ask('a', 'fast.example')
  await vi.advanceTimersByTimeAsync(silentMs + 10)
  expect([next.answer, most()]).toEqual([found, 1])
})

test('a lookup that waits for 30 s behind others ends without an address', async () => {
  const { ask } = useLookups()
  const slow = Array.from({ length: 3 }, () => ask('a', 'name.silent'))
  const waiting = ask('a', 'fast.example')
  await vi.advanceTimersByTimeAsync(29_990)
  expect(waiting.answer).toBe('waiting')
  await vi.advanceTimersByTimeAsync(20)
  expect(waiting.answer).toBeUndefined()
  await vi.advanceTimersByTimeAsync(3 * silentMs)
  expect(slow.map(({ answer }) => answer)).toEqual([undefined, undefined, undefined])
  const next = ask('a', 'fast.example')
  await vi.advanceTimersByTimeAsync(10)
  expect(next.answer).toEqual(found)
})
