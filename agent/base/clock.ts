import { uptime } from 'node:os'
import type { Clock } from '../../shared/clock.ts'

export type { Cancel, Clock } from '../../shared/clock.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs)
    return () => clearInterval(timer)
  },
}

export const wait = (clock: Clock, delayMs: number) =>
  new Promise<void>((resolve) => {
    clock.after(delayMs, resolve)
  })
