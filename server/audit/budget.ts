import { hourMs } from '../../shared/durations.ts'
import type { Clock } from '../ground/clock.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { EventColumns } from './event.ts'

/** Rows an hour: of strangers about one account or about none, of all strangers, and of one principal. */
const limits = { strangersAboutOne: 20, strangers: 200, principal: 20_000 }

/** Decides which events get a row each. The others are counted, so that nobody fills the disk with rows (T20). */
export class AuditBudget {
  readonly #counts: WindowedCounts

  constructor(clock: Clock) {
    this.#counts = new WindowedCounts(clock, { windowMs: hourMs, maxKeys: 2_000 })
  }

  /** True for an event that gets a row. Events of the server itself always do. */
  admits({ actorKind, actorId, targetId, credentialId }: EventColumns): boolean {
    if (actorKind === 'system') {
      return true
    }
    return actorKind === 'anonymous'
      ? this.#take(`about ${targetId}`, limits.strangersAboutOne) && this.#take('strangers', limits.strangers)
      : this.#take(`by ${actorId} ${credentialId}`, limits.principal)
  }

  #take(key: string, limit: number): boolean {
    return this.#counts.of(key).value < limit && this.#counts.add(key) <= limit
  }
}
