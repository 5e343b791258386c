import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'
import type { WrongAnswerRow } from './tables.ts'

type Owner = Pick<WrongAnswerRow, 'kind' | 'userId'>
type Counted = Owner & Pick<WrongAnswerRow, 'failedSignIns' | 'lockedUntil'>

const nameOf = ({ kind, userId }: Owner) => `${kind} ${userId ?? ''}`

/** Wrong answers that no account counts: at unknown addresses, of known browsers and of credentials. */
export class WrongAnswers extends Mirror<Counted & { key: string }, Counted> {
  protected readonly sql = 'SELECT id AS key, kind, userId, failedSignIns, lockedUntil FROM wrong_answers'
  /** Ids of the rows of one kind and user. */
  readonly #ids = new Map<string, Set<string>>()

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'wrong_answers')
  }

  protected override entryOf({ kind, userId, failedSignIns, lockedUntil }: Counted): Counted {
    return { kind, userId, failedSignIns, lockedUntil }
  }

  protected override added(id: string, counted: Counted): void {
    const name = nameOf(counted)
    this.#ids.set(name, (this.#ids.get(name) ?? new Set()).add(id))
  }

  protected override removed(id: string, counted: Counted): void {
    const name = nameOf(counted)
    this.#ids.get(name)?.delete(id)
    if (this.numberOf(counted) === 0) {
      this.#ids.delete(name)
    }
  }

  get(id: string): Counted | undefined {
    return this.held.get(id)
  }

  numberOf(owner: Owner): number {
    return this.#ids.get(nameOf(owner))?.size ?? 0
  }

  ofBrowsers(userId: string): Counted[] {
    const ids = this.#ids.get(nameOf({ kind: 'browser', userId })) ?? []
    return [...ids].map((id) => this.held.get(id)!)
  }
}
