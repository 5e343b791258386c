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

const principalOf = ({ actorId, credentialId }: EventColumns) => `by ${actorId} ${credentialId}`

/** Decides which events get a row each. The others are counted, so that nobody fills the disk with rows (T20). */
export class AuditBudget {
  readonly #counts: WindowedCounts

  constructor(clock: Clock) {
    this.#counts = new WindowedCounts(clock, { windowMs: hourMs, maxKeys: 2_000 })
  }

  /** Throws 429 for a deed past the limit of its kind: its event may neither be summed up nor fill the disk. */
  requireDeed(columns: EventColumns): void {
    const limit = deedLimits.get(columns.kind)
    const key = `${principalOf(columns)} ${columns.kind}`
    if (limit !== undefined && columns.actorKind !== 'system' && !this.#take(key, limit)) {
      const seconds = Math.ceil(this.#counts.of(key).leftMs / 1_000)
      throw new AppError(429, `You did this ${limit} times within an hour. Try again later.`, {
        headers: { 'retry-after': String(seconds) },
      })
    }
  }

  /** True for an event that gets a row. Events of the server itself always do. */
  admits(columns: EventColumns): boolean {
    const { kind, actorKind, targetId } = columns
    if (actorKind === 'anonymous') {
      return this.#take(`about ${targetId}`, strangerLimits.aboutOne) && this.#take('strangers', strangerLimits.all)
    }
    const principal = principalOf(columns)
    return (
      actorKind === 'system' ||
      keptKinds.has(kind) ||
      deedLimits.has(kind) ||
      this.#take(principal, principalLimits.all) ||
      this.#take(`${principal} ${kind}`, principalLimits.kind)
    )
  }

  #take(key: string, limit: number): boolean {
    return this.#counts.of(key).value < limit && this.#counts.add(key) <= limit
  }
}
