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
 * A server on which nobody has an account yet: the first who comes gets all of it, so whoever does not sit at it has to
 * know the code of this start (T01).
 */
export class Setup {
  readonly #code = newCode()
  readonly #accounts: { readonly size: number }
  #isUnclaimed: boolean

  /** `accounts` are those of the server: with the first of them it is claimed for good. */
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
