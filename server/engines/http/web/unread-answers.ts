import { InputBudget, type HeldInput } from '../../flow/input-budget.ts'
import { countedAddress, type RemoteAddressOf } from './remote-address.ts'
import type { Response } from './response.ts'

const mebibyte = 1024 * 1024

/** Limits of bytes that wait for their readers: of all addresses and of one, of all accounts and of one. */
const ofStrangers = { all: 128 * mebibyte, share: 32 * mebibyte }
const ofAccounts = { all: 256 * mebibyte, share: 32 * mebibyte }

/** Memory of the compression of one answer, in bytes. */
const encoderBytes = 512 * 1024

/** Answers that grow between two counts are at most those that the server makes in this time. */
const countedEveryMs = 100

/** Bytes that a stream has on its way to a client that reads. */
const usualBytes = 128 * 1024

/** Memory of an answer that its client does not read, in bytes. */
function waitingBytes(response: Response): number {
  const bytes = response.writableLength - usualBytes
  return bytes <= 0 ? 0 : response.hasHeader('content-encoding') ? bytes + encoderBytes : bytes
}

/**
 * Counts the answers that clients have asked for and do not read, by account, and of strangers by address (T20, T40).
 * Above a limit the connection that has waited longest is dropped.
 */
export class UnreadAnswers {
  readonly #addressOf: RemoteAddressOf
  readonly #strangers = new InputBudget(ofStrangers)
  readonly #accounts = new InputBudget(ofAccounts)
  /** Answers that are not sent, with the accounts that asked for them. */
  readonly #open = new Map<Response, string | undefined>()
  readonly #held = new Map<Response, HeldInput>()
  #countedAt = 0

  constructor(addressOf: RemoteAddressOf) {
    this.#addressOf = addressOf
  }

  watch(response: Response): void {
    this.#open.set(response, undefined)
    response.once('close', () => {
      this.#open.delete(response)
      this.#held.get(response)?.close()
      this.#held.delete(response)
    })
    // Only another request makes the sum larger.
    const now = performance.now()
    if (now - this.#countedAt >= countedEveryMs) {
      this.#countedAt = now
      this.#count()
    }
  }

  /** Counts an answer for the account that asked for it. */
  charge(response: Response, account: string): void {
    if (this.#open.has(response)) {
      this.#open.set(response, account)
    }
  }

  #count(): void {
    for (const [response, account] of this.#open) {
      const bytes = waitingBytes(response)
      const held = this.#held.get(response)
      if (held) {
        held.set(bytes)
      } else if (bytes > 0) {
        this.#hold(response, account).set(bytes)
      }
    }
  }

  #hold(response: Response, account: string | undefined): HeldInput {
    const source = { drop: () => response.destroy() }
    const held =
      account === undefined
        ? this.#strangers.open(countedAddress(this.#addressOf(response.req)), source)
        : this.#accounts.open(account, source)
    this.#held.set(response, held)
    return held
  }
}
