import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'
import type { WrongAnswerRow } from './tables.ts'

type Counted = Pick<WrongAnswerRow, 'kind' | 'userId' | 'failedSignIns' | 'lockedUntil'>

/** Wrong answers that no account counts: at unknown addresses, of known browsers and of credentials. */
export class WrongAnswers extends Mirror<Counted & { key: string }, Counted> {
  protected readonly sql = 'SELECT id AS key, kind, userId, failedSignIns, lockedUntil FROM wrong_answers'
  readonly #numbers = { stranger: 0, browser: 0, credential: 0 }

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'wrong_answers')
  }

  protected override entryOf({ kind, userId, failedSignIns, lockedUntil }: Counted): Counted {
    return { kind, userId, failedSignIns, lockedUntil }
  }

  protected override added(_: string, { kind }: Counted): void {
    this.#numbers[kind]++
  }

  protected override removed(_: string, { kind }: Counted): void {
    this.#numbers[kind]--
  }

  get(id: string): Counted | undefined {
    return this.held.get(id)
  }

  numberOf(kind: Counted['kind']): number {
    return this.#numbers[kind]
  }

  /** Counts of the browsers that are known to a user. */
  ofBrowsers(userId: string): Counted[] {
    return [...this.held.values()].filter((counted) => counted.kind === 'browser' && counted.userId === userId)
  }
}
