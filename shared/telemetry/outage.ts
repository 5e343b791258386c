interface Outage {
  since: number
  /** Last failure of each signal that failed in this outage; undefined once it arrives again. */
  readonly failures: Map<string, number | undefined>
}

/** Signals have a connection each, and some have nothing to send: their older failures do not prolong an outage. */
const oldMs = 10_000

export interface OutageLog {
  warn(fields: object, sentence: string): void
  info(fields: object, sentence: string): void
}

/**
 * Logs a line when a destination fails, and a line when the signals that failed arrive again, however many exports fail
 * in between.
 */
export class Outages {
  readonly #log: OutageLog
  readonly #now: () => number
  readonly #outages = new Map<string, Outage>()
  /** End of the last outage of each destination. */
  readonly #ends = new Map<string, number>()

  constructor(log: OutageLog, now: () => number) {
    this.#log = log
    this.#now = now
  }

  /** Notes that an export of a signal begins: traces, metrics or logs. The returned function takes its result. */
  begin(destination: string, signal: string): (problem: string | undefined) => void {
    const begunAt = this.#now()
    return (problem) => this.#note(destination, signal, { begunAt, problem })
  }

  #note(destination: string, signal: string, { begunAt, problem }: { begunAt: number; problem: string | undefined }) {
    const outage = this.#outages.get(destination)
    const now = this.#now()
    if (problem === undefined) {
      if (outage?.failures.has(signal)) {
        outage.failures.set(signal, undefined)
        this.#endIfOver(destination, outage, now)
      }
    } else if (outage) {
      outage.failures.set(signal, now)
    } else if (begunAt > (this.#ends.get(destination) ?? -Infinity)) {
      // A failure of an export that began in the last outage is part of that outage.
      this.#outages.set(destination, { since: now, failures: new Map([[signal, now]]) })
      this.#log.warn(
        {},
        `Telemetry does not reach ${destination}: ${problem}. It is sent again by itself; what the queue cannot take is lost.`,
      )
    }
  }

  #endIfOver(destination: string, { since, failures }: Outage, now: number): void {
    if ([...failures.values()].every((failedAt) => failedAt === undefined || now - failedAt > oldMs)) {
      this.#outages.delete(destination)
      this.#ends.set(destination, now)
      this.#log.info({}, `Telemetry reaches ${destination} again, after ${Math.round((now - since) / 1000)} s.`)
    }
  }
}
