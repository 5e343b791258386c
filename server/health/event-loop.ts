import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../ground/clock.ts'

/** Interval of samples; the histogram includes it in each delay. */
const resolutionMs = 20
const windowMs = 5 * 60_000

export interface LoopDelay {
  p99Ms: number
  maxMs: number
}

/** Delays of the event loop: how long this process lets others wait. */
export class EventLoop {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  #before: LoopDelay | undefined

  /** Starts sampling; returns a function that stops it. */
  start(clock: Clock): () => void {
    this.#histogram.enable()
    const cancel = clock.every(windowMs, () => {
      this.#before = this.#current()
      this.#histogram.reset()
    })
    return () => {
      cancel()
      this.#histogram.disable()
    }
  }

  /** Delays of the last 5 to 10 minutes. */
  get delay(): LoopDelay {
    const now = this.#current()
    const { p99Ms, maxMs } = this.#before ?? now
    return { p99Ms: Math.max(now.p99Ms, p99Ms), maxMs: Math.max(now.maxMs, maxMs) }
  }

  #current(): LoopDelay {
    const ms = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e6) - resolutionMs)
    const isEmpty = this.#histogram.count === 0
    return isEmpty
      ? { p99Ms: 0, maxMs: 0 }
      : { p99Ms: ms(this.#histogram.percentile(99)), maxMs: ms(this.#histogram.max) }
  }
}
