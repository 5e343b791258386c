import { SpanKind, trace } from '@opentelemetry/api'
import { histogram } from '../../../shared/telemetry/instruments.ts'
import { inSpan } from '../../../shared/telemetry/spans.ts'
import type { WriteObserver } from '../../engines/database/database.ts'

/** Durations of commits, and a span for each transaction of a request or a call. */
export class WriteCounts implements WriteObserver {
  readonly #durations = histogram('farhand.database.commit.duration')
  #queued = 0

  /** Transactions that wait for the writer. */
  get queued(): number {
    return this.#queued
  }

  write<T>(work: (begun: () => void) => Promise<T>): Promise<T> {
    if (trace.getActiveSpan() === undefined) {
      return this.#measure(work, () => {})
    }
    const attributes = { 'db.system.name': 'sqlite' }
    return inSpan('database write', { kind: SpanKind.CLIENT, attributes }, (span) =>
      this.#measure(work, (seconds) => void span.setAttribute('farhand.database.wait', seconds)),
    )
  }

  batch(seconds: number): void {
    this.#durations.record(seconds, { 'farhand.database.kind': 'batch' })
  }

  async #measure<T>(work: (begun: () => void) => Promise<T>, waited: (seconds: number) => void): Promise<T> {
    const queuedAt = performance.now()
    let begunAt: number | undefined
    this.#queued += 1
    try {
      return await work(() => {
        // Work of a group that failed is repeated alone.
        if (begunAt === undefined) {
          begunAt = performance.now()
          this.#queued -= 1
          waited((begunAt - queuedAt) / 1000)
        }
      })
    } finally {
      if (begunAt === undefined) {
        this.#queued -= 1
      } else {
        this.#durations.record((performance.now() - begunAt) / 1000, { 'farhand.database.kind': 'write' })
      }
    }
  }
}
