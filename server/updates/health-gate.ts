import { plural } from '../../shared/plural.ts'
import type { Clock } from '../ground/clock.ts'

/** Time in which a new version must be well. */
export const gateLimitMs = 5 * 60_000
const pollMs = 250

/** State of a new version that the gate asks for. */
export interface Health {
  isHealthy: boolean
  /** Version that answers; undefined without an answer. */
  version: string | undefined
}

export interface GateOptions {
  clock: Clock
  version: string
  /** Devices that were online before. */
  online: number
  /** Asks the server at its address. */
  ask(url: string): Promise<Health>
}

/** Nine of ten devices must come back; a few of a handful may just have been switched off. */
export const neededBack = (online: number): number => (online === 0 ? 0 : Math.max(1, Math.floor(online * 0.9)))

/**
 * Decides whether a new version works: it answers as healthy, which includes its database, and the devices come back.
 * Resolves with null, or with the reason why not.
 */
export class HealthGate {
  readonly outcome: Promise<string | null>
  readonly #options: GateOptions
  readonly #cancels: (() => void)[] = []
  #decide: (outcome: string | null) => void = () => {}
  #url: string | undefined
  #health: Health = { isHealthy: false, version: undefined }
  #back = 0
  #isAsking = false

  constructor(options: GateOptions) {
    this.#options = options
    const { clock } = options
    this.outcome = new Promise((resolve) => {
      this.#decide = (outcome) => {
        this.#cancels.splice(0).forEach((cancel) => cancel())
        resolve(outcome)
      }
    })
    this.#cancels.push(
      clock.after(gateLimitMs, () => this.#decide(this.#lateReason())),
      clock.every(pollMs, () => void this.#poll()),
    )
  }

  /** The new version listens. */
  listening(url: string): void {
    this.#url = url
  }

  /** Sets the number of previously connected devices that have connected to the new version. */
  back(count: number): void {
    this.#back = count
    this.#check()
  }

  /** The new version has ended. */
  ended(how: string): void {
    this.#decide(`The new version ended before it was well: ${how}`)
  }

  async #poll() {
    if (this.#url === undefined || this.#isAsking) {
      return
    }
    this.#isAsking = true
    this.#health = await this.#options.ask(this.#url)
    this.#isAsking = false
    this.#check()
  }

  #check() {
    const { version, online } = this.#options
    if (this.#health.isHealthy && this.#health.version === version && this.#back >= neededBack(online)) {
      this.#decide(null)
    }
  }

  #lateReason(): string {
    const { version, online } = this.#options
    const limit = `within ${gateLimitMs / 60_000} minutes`
    if (this.#url === undefined) {
      return `The new version did not start to listen ${limit}.`
    }
    if (!this.#health.isHealthy) {
      return `The new version did not answer as healthy ${limit}.`
    }
    return this.#health.version === version
      ? `Only ${this.#back} of ${plural(online, 'device', 'devices')} that were online came back ${limit}.`
      : `Version ${this.#health.version ?? 'unknown'} answered instead of ${version}.`
  }
}
