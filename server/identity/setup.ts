import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { invalid } from '../ground/errors.ts'
import { typedCode } from '../ground/typed-code.ts'

/** No letters or digits that are easily confused when read aloud or copied by hand. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const groups = 2
const groupLength = 5
/** Bytes that a letter is drawn from: so many that no letter is noticeably more frequent. */
const letterBytes = 3

/** Code of the first bytes of a secret. */
function codeOf(secret: Buffer): string {
  const letterAt = (index: number) => letters[secret.readUIntBE(index * letterBytes, letterBytes) % letters.length]
  const code = Array.from({ length: groups * groupLength }, (_, index) => letterAt(index)).join('')
  return `${code.slice(0, groupLength)}-${code.slice(groupLength)}`
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** State of an unclaimed server, whose first account will own it: remote visitors need the setup code (T01). */
export class Setup {
  readonly #code: string
  readonly #accounts: { readonly size: number }
  #isUnclaimed: boolean
  /** Whether the person at this computer started the server: that person needs no code. */
  readonly isOfPerson: boolean

  /**
   * `isUnclaimed`: the first account does not exist yet, and registration may create it. The first entry of `accounts`
   * claims the server permanently. `isOfPerson` is false for a service: many people may use its computer, and the first
   * of them to open the page must not own the server. `shared` is a secret of all servers of the database, which have the
   * same code; without it the code changes with each start.
   */
  constructor(
    isUnclaimed: boolean,
    accounts: { readonly size: number },
    { isOfPerson, shared = randomBytes(32) }: { isOfPerson: boolean; shared?: Buffer | undefined },
  ) {
    this.#code = codeOf(shared)
    this.#isUnclaimed = isUnclaimed
    this.#accounts = accounts
    this.isOfPerson = isOfPerson
  }

  get isUnclaimed(): boolean {
    this.#isUnclaimed &&= this.#accounts.size === 0
    return this.#isUnclaimed
  }

  /** Ten letters and digits in two groups; null once claimed. */
  get code(): string | null {
    return this.isUnclaimed ? this.#code : null
  }

  /** On an unclaimed server, remote visitors need the setup code that the server printed at its start (T01). Throws 400. */
  check({ isLocal }: { isLocal(): boolean }, code: string | undefined): void {
    if (this.isUnclaimed && !(this.isOfPerson && isLocal()) && !this.accepts(code)) {
      throw invalid({
        setupCode: [
          code ? 'is wrong: it is shown where the server was started, and may change with each start' : 'is needed',
        ],
      })
    }
  }

  /** Compares a text with the code, ignoring case and separators; in constant time. */
  accepts(text: string | undefined): boolean {
    return text !== undefined && timingSafeEqual(digest(typedCode(text)), digest(typedCode(this.#code)))
  }
}
