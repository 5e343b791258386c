import { createHash, randomInt, timingSafeEqual } from 'node:crypto'

/** Read aloud or copied by hand, none is taken for another. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const groups = 2
const groupLength = 5

const newCode = () =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join(''),
  ).join('-')

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * A server whose first account will own it: whoever does not sit at the server has to know the code of this start (T01).
 */
export class Setup {
  readonly #code = newCode()
  readonly #accounts: { readonly size: number }
  #isUnclaimed: boolean

  /**
   * `isUnclaimed`: the first account is still missing, and may be made by registering. With the first of `accounts` the
   * server is claimed for good.
   */
  constructor(isUnclaimed: boolean, accounts: { readonly size: number }) {
    this.#isUnclaimed = isUnclaimed
    this.#accounts = accounts
  }

  get isUnclaimed(): boolean {
    this.#isUnclaimed &&= this.#accounts.size === 0
    return this.#isUnclaimed
  }

  /** Ten letters and digits in two groups; null when it is of no use any more. */
  get code(): string | null {
    return this.isUnclaimed ? this.#code : null
  }

  /** Whether a text is the code, however it was typed; in constant time. */
  accepts(text: string | undefined): boolean {
    const plain = (code: string) => code.toUpperCase().replaceAll(/[^A-Z\d]/g, '')
    return text !== undefined && timingSafeEqual(digest(plain(text)), digest(plain(this.#code)))
  }
}
