import { hourMs } from '../../shared/durations.ts'
import type { Clock } from '../ground/clock.ts'
import { AppError } from '../ground/errors.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { EventColumns } from './event.ts'

/** Rows an hour: of strangers about one account or about none, and of all strangers. */
const strangerLimits = { aboutOne: 20, all: 200 }

/**
 * Rows an hour of one principal: of all kinds, and after that of each kind. Nobody hides a deed behind masses of another
 * kind (T45), and the disk stays bounded.
 */
const principalLimits = { all: 20_000, kind: 5_000 }

/** Kinds that are never summed up (T45, T50). Each row takes a recording, a session or a device that there was. */
const keptKinds: ReadonlySet<string> = new Set([
  'recording.started',
  'recording.ended',
  'recording.deleted',
  'session.cut',
  'device.deleted',
])

/** Kinds that are never summed up, though repeating them costs nothing: deeds an hour of one principal. */
const deedLimits: ReadonlyMap<string, number> = new Map([
  ['recording.opened', 20_000],
  ['batch.started', 2_000],
])

/** Limits of an account with all its tokens, in limits of one: their number has no limit (T44). */
const tokensOfAccount = 5

const principalOf = ({ actorId, credentialId }: EventColumns) => `by ${actorId} ${credentialId}`

/** Decides which events get a row each. The others are counted, so that nobody fills the disk with rows (T20). */
export class AuditBudget {
  readonly #counts: WindowedCounts
  /** Apart, so that the counts of many tokens do not evict that of their account. */
  readonly #accounts: WindowedCounts

  constructor(clock: Clock) {
    this.#counts = new WindowedCounts(clock, { windowMs: hourMs, maxKeys: 2_000 })
    this.#accounts = new WindowedCounts(clock, { windowMs: hourMs, maxKeys: 2_000 })
  }

  /** Throws 429 for a deed past the limit of its kind: its event may neither be summed up nor fill the disk. */
  requireDeed(columns: EventColumns, accountId: string | null): void {
    const limit = deedLimits.get(columns.kind)
    if (
      limit !== undefined &&
      columns.actorKind !== 'system' &&
      !this.#takeOf(columns, accountId, limit, columns.kind)
    ) {
      const { leftMs } = this.#counts.of(`${principalOf(columns)} ${columns.kind}`)
      const seconds = Math.ceil(leftMs / 1_000)
      throw new AppError(429, 'You did this too often within an hour. Try again later.', {
        headers: { 'retry-after': String(seconds) },
      })
    }
  }

  /** True for an event that gets a row. Events of the server itself always do. */
  admits(columns: EventColumns, accountId: string | null): boolean {
    const { kind, actorKind, targetId } = columns
    if (actorKind === 'anonymous') {
      return this.#take(`about ${targetId}`, strangerLimits.aboutOne) && this.#take('strangers', strangerLimits.all)
    }
    return (
      actorKind === 'system' ||
      keptKinds.has(kind) ||
      deedLimits.has(kind) ||
      this.#takeOf(columns, accountId, principalLimits.all, '') ||
      this.#takeOf(columns, accountId, principalLimits.kind, kind)
    )
  }

  /** Counts an event of a principal, and of its account. */
  #takeOf(columns: EventColumns, accountId: string | null, limit: number, kind: string): boolean {
    return (
      this.#take(`${principalOf(columns)} ${kind}`, limit) &&
      this.#take(`of ${accountId} ${kind}`, tokensOfAccount * limit, this.#accounts)
    )
  }

  #take(key: string, limit: number, counts = this.#counts): boolean {
    return counts.of(key).value < limit && counts.add(key) <= limit
  }
}
