interface Outage {
  since: number
  /** Signals whose last export failed. */
  readonly failing: Set<string>
}

interface Say {
  failed(sentence: string): void
  back(sentence: string): void
}

/** Logs a line when a destination fails and a line when all its signals arrive again, however many exports fail between. */
export class Outages {
  readonly #say: Say
  readonly #now: () => number
  readonly #outages = new Map<string, Outage>()

  constructor(say: Say, now: () => number) {
    this.#say = say
    this.#now = now
  }

  /** Records the result of an export of a signal: traces, metrics or logs. */
  note(destination: string, signal: string, problem: string | undefined): void {
    const outage = this.#outages.get(destination)
    if (problem === undefined) {
      this.#worked(destination, signal, outage)
    } else if (outage) {
      outage.failing.add(signal)
    } else {
      this.#outages.set(destination, { since: this.#now(), failing: new Set([signal]) })
      this.#say.failed(
        `Telemetry does not reach ${destination}: ${problem}. It is sent again by itself; what the queue cannot take is lost.`,
      )
    }
  }

  #worked(destination: string, signal: string, outage: Outage | undefined): void {
    if (outage?.failing.delete(signal) && outage.failing.size === 0) {
      this.#outages.delete(destination)
      const seconds = Math.round((this.#now() - outage.since) / 1000)
      this.#say.back(`Telemetry reaches ${destination} again, after ${seconds} s.`)
    }
  }
}
