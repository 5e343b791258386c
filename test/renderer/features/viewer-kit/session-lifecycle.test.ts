import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SessionLifecycle } from '../../../../renderer/features/viewer-kit/session-lifecycle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Open session of a reachable device, with the phases entered since. */
function openSession(options: { retryDelaysMs: number[]; exhausted?: string }) {
  const phases: string[] = []
  const reconnect = vi.fn()
  const lifecycle = new SessionLifecycle({ ...options, reconnect, onState: ({ phase }) => phases.push(phase) })
  lifecycle.setReachable(true)
  lifecycle.enter({ phase: 'open' })
  phases.length = 0
  return { lifecycle, phases, reconnect }
}

test('a lost session reconnects after growing delays, and ends after the last attempt', () => {
  const { lifecycle, reconnect } = openSession({ retryDelaysMs: [1_000, 5_000], exhausted: 'gone' })
  lifecycle.retryLater()
  vi.advanceTimersByTime(1_000)
  expect(reconnect).toHaveBeenCalledTimes(1)
  lifecycle.retryLater()
  vi.advanceTimersByTime(4_999)
  expect(reconnect).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  lifecycle.retryLater()
  expect(lifecycle.state).toEqual({ phase: 'ended', cause: 'failure', reason: 'gone' })
})

test('without a text for giving up, the last delay repeats', () => {
  const { lifecycle, phases, reconnect } = openSession({ retryDelaysMs: [2_000] })
  for (let attempt = 1; attempt <= 5; attempt++) {
    lifecycle.retryLater()
    vi.advanceTimersByTime(2_000)
    expect(reconnect).toHaveBeenCalledTimes(attempt)
  }
  expect(phases).toEqual(['lost'])
})

test('a lost session waits while the device is unreachable, and reconnects at once when it is back', () => {
  const { lifecycle, reconnect } = openSession({ retryDelaysMs: [1_000] })
  lifecycle.retryLater()
  lifecycle.setReachable(false)
  vi.advanceTimersByTime(60_000)
  expect(reconnect).not.toHaveBeenCalled()
  lifecycle.setReachable(true)
  expect(reconnect).toHaveBeenCalledOnce()
})

test('a session closed in order ends after a delay, unless the device went offline meanwhile', () => {
  const { lifecycle, reconnect } = openSession({ retryDelaysMs: [1_000] })
  lifecycle.endAfter(3_000, 'device', 'closed')
  vi.advanceTimersByTime(2_000)
  lifecycle.setReachable(false)
  vi.advanceTimersByTime(60_000)
  expect(lifecycle.state.phase).toBe('lost')
  lifecycle.setReachable(true)
  expect(reconnect).toHaveBeenCalledOnce()
  lifecycle.endAfter(3_000, 'device', 'closed')
  vi.advanceTimersByTime(3_000)
  expect(lifecycle.state).toEqual({ phase: 'ended', cause: 'device', reason: 'closed' })
})

test('a later attempt, an end and a stop make the answers to earlier attempts outdated', () => {
  const { lifecycle } = openSession({ retryDelaysMs: [1_000] })
  const first = lifecycle.begin()
  const second = lifecycle.begin()
  expect([first(), second(), lifecycle.current()()]).toEqual([false, true, true])
  lifecycle.end('viewer', '')
  expect(second()).toBe(false)
  const third = lifecycle.begin()
  lifecycle.stop()
  expect(third()).toBe(false)
})
