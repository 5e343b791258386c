import type { Clock } from '../ground/clock.ts'

interface BlockedKey {
  /** Address whose keys are rejected. */
  address: string
  /** Id of the credential that the last wrong key named. */
  credentialId: string
  until: number
}

/** Addresses that sent too many wrong API keys, until their block ends. */
export class BlockedKeys {
  readonly #clock: Clock
  readonly #byAddress = new Map<string, BlockedKey>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(key: BlockedKey): void {
    this.#byAddress.delete(key.address)
    this.#byAddress.set(key.address, key)
    if (this.#byAddress.size > maxAddresses) {
      this.#byAddress.delete(this.#byAddress.keys().next().value!)
    }
  }

  get all(): BlockedKey[] {
    return [...this.#byAddress.values()].filter(({ until }) => until > this.#clock.now())
  }
}

const maxAddresses = 1000
