import { describe, expect, test } from 'vitest'
import type { AskedAction } from '../../../../../renderer/components/device-actions.ts'
import { advance, isLate, type Outcome } from '../../../../../renderer/pages/devices/device/outcome.ts'

const before = { isOnline: true, lastSeen: '2026-03-01T10:00:00Z', agentVersion: '1.0' }
const asked = (action: AskedAction, changes: Partial<Outcome> = {}): Outcome => ({
  action,
  askedAt: 1_000,
  phase: 'waiting',
  before,
  ...changes,
})
const away = { ...before, isOnline: false }

describe('what becomes of an action', () => {
  test('a restart is done when the device was away and is back', () => {
    const restart = asked('restart')
    expect(advance(restart, before, 2_000)).toBe(restart)
    const gone = advance(restart, away, 3_000)
    expect(gone).toMatchObject({ phase: 'away', awayAt: 3_000 })
    expect(advance(gone, before, 9_000)).toMatchObject({ phase: 'done', awayAt: 3_000, doneAt: 9_000 })
  })

  test('a shutdown and an uninstalled agent are done when the device is away, a wake when it is there', () => {
    expect(advance(asked('shutdown'), away, 3_000)).toMatchObject({ phase: 'done' })
    expect(advance(asked('uninstall'), away, 3_000)).toMatchObject({ phase: 'done' })
    const wake = asked('wake', { before: away })
    expect(advance(wake, away, 3_000)).toBe(wake)
    expect(advance(wake, before, 3_000)).toMatchObject({ phase: 'done' })
  })

  test('an update is done with another version only', () => {
    const gone = advance(asked('update'), away, 3_000)
    expect(gone.phase).toBe('away')
    expect(advance(gone, away, 4_000)).toBe(gone)
    expect(advance(gone, before, 4_000)).toMatchObject({ phase: 'failed', answer: expect.stringContaining('1.0') })
    expect(advance(gone, { ...before, agentVersion: '1.1' }, 4_000)).toMatchObject({ phase: 'done' })
  })

  test('nothing changes before the answer, after a refusal and after the end', () => {
    for (const phase of ['asking', 'failed', 'done'] as const) {
      const outcome = asked('shutdown', { phase })
      expect(advance(outcome, away, 3_000)).toBe(outcome)
    }
  })

  test('what takes long is late until it is done', () => {
    expect(isLate(asked('refresh'), 1_000)).toBe(false)
    expect(isLate(asked('refresh'), 60_000)).toBe(true)
    expect(isLate(asked('refresh', { phase: 'done' }), 60_000)).toBe(false)
  })
})
