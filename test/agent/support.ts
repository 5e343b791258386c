import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../agent/clock.ts'
import type { Log } from '../../agent/log.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Waits until `read` gives something truthy; a test that waits for ever fails by its own time limit. */
export async function until<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await read()
    if (value) {
      return value
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export interface ManualClock extends Clock {
  advance(ms: number): void
}

/** A clock that moves only when told. */
export function manualClock(startMs = Date.UTC(2026, 0, 2)): ManualClock {
  let now = startMs
  const timers = new Set<{ at: number; run: () => void; everyMs?: number }>()
  const add = (timer: { at: number; run: () => void; everyMs?: number }) => {
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => now,
    after: (delayMs, run) => add({ at: now + delayMs, run }),
    every: (everyMs, run) => add({ at: now + everyMs, run, everyMs }),
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (!next) {
          break
        }
        now = next.at
        if (next.everyMs === undefined) {
          timers.delete(next)
        } else {
          next.at += next.everyMs
        }
        next.run()
      }
      now = end
    },
  }
}

export interface CollectedLog extends Log {
  lines: string[]
}

export function collectingLog(): CollectedLog {
  const lines: string[] = []
  const add = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, debug: add, info: add, warn: add, error: add }
}
