import type { ScopeKind } from '../../shared/access.ts'
import type { Clock } from '../ground/clock.ts'
import type { Database, Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'

/** A permission assignment of a principal. */
export interface Rule {
  permissionName: string
  effect: 'Allow' | 'Deny'
  scopeKind: ScopeKind
  scopeId: string | null
  isEnabled: boolean
  /** Tokens that made this allow, whose rights limit it; absent for an allow made by a user. */
  boundTo?: readonly string[]
}

/** A permission assignment as stored. */
export interface StoredRule extends Rule {
  id: string
  /** The rule counts before this instant only; absent for a rule without an end. */
  endsAt?: number
}

/** A user's membership in a group. */
export interface Membership {
  groupId: string
  boundTo?: readonly string[]
}

type RuleRow = Omit<StoredRule, 'isEnabled' | 'boundTo' | 'endsAt'> & {
  isEnabled: number
  endsAt: number | null
  groupId: null
}
type MembershipRow = { [Member in keyof RuleRow]: Member extends 'groupId' ? string : null }
type Row = { key: string; madeWith: string | null } & (RuleRow | MembershipRow)

interface Held {
  rules: readonly StoredRule[]
  memberships: readonly Membership[]
  /** Ends of the rules; most principals have none. */
  ends: readonly number[]
  /** Rules that had not ended when they were last read. */
  lasting: readonly StoredRule[]
}

const nothing: Held = { rules: [], memberships: [], ends: [], lasting: [] }

const binding = (madeWith: string | null) => (madeWith === null ? {} : { boundTo: [madeWith] })

/**
 * Mirror of the permission assignments of every principal, and the groups of every user, so that evaluating a right
 * needs no query. Rules that have ended are left out, so evaluation knows no time.
 */
export class Rules extends Mirror<Row, Held> {
  protected readonly sql = `SELECT a.principalId AS key, id, permissionName, effect, scopeKind, scopeId, isEnabled, endsAt,
        NULL AS groupId, madeWith
      FROM permission_assignments AS a LEFT JOIN assignment_ends ON assignmentId = id
    UNION ALL SELECT userId AS key, NULL, NULL, NULL, NULL, NULL, NULL, NULL, groupId, madeWith FROM user_group_members`
  readonly #clock: Clock
  #generation = {}
  /** Next instant at which a rule ends; undefined until it is worked out. */
  #nextEnd: number | undefined

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    super(database)
    this.#clock = clock
  }

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'permission_assignments', 'assignment_ends', 'user_group_members')
  }

  protected override entryOf(_: Row, rows: readonly Row[]): Held {
    const rules = rows.flatMap(({ key: _, groupId, isEnabled, endsAt, madeWith, ...rule }) =>
      groupId === null
        ? [
            {
              ...(rule as Omit<StoredRule, 'isEnabled'>),
              isEnabled: isEnabled === 1,
              ...(endsAt !== null && { endsAt }),
              ...binding(madeWith),
            },
          ]
        : [],
    )
    return {
      rules,
      lasting: rules,
      ends: rules.flatMap(({ endsAt }) => endsAt ?? []),
      memberships: rows.flatMap(({ groupId, madeWith }) =>
        groupId === null ? [] : [{ groupId, ...binding(madeWith) }],
      ),
    }
  }

  protected override changed(): void {
    this.#generation = {}
    this.#nextEnd = undefined
  }

  protected override storedOf({ rules, memberships }: Held): unknown {
    return [rules, memberships].map((own) => own.map((one) => JSON.stringify(one)).toSorted())
  }

  /** The rules of one principal alone, without those that have ended: the same list until it changes or one of them ends. */
  of(principalId: string): readonly StoredRule[] {
    const held = this.held.get(principalId) ?? nothing
    if (held.ends.length > 0) {
      const now = this.#clock.now()
      const lasting = held.rules.filter(({ endsAt }) => endsAt === undefined || endsAt > now)
      if (lasting.length !== held.lasting.length) {
        held.lasting = lasting
      }
    }
    return held.lasting
  }

  /** Also those that have ended, for lists and explanations. */
  allOf(principalId: string): readonly StoredRule[] {
    return (this.held.get(principalId) ?? nothing).rules
  }

  membershipsOf(userId: string): readonly Membership[] {
    return (this.held.get(userId) ?? nothing).memberships
  }

  /**
   * Changes to another object after every change and every end of a rule: values compiled from the rules are valid
   * while the generation is the same.
   */
  get generation(): object {
    const now = this.#clock.now()
    if (this.#nextEnd === undefined || this.#nextEnd <= now) {
      this.#generation = this.#nextEnd === undefined ? this.#generation : {}
      this.#nextEnd = this.#endAfter(now)
    }
    return this.#generation
  }

  #endAfter(now: number): number {
    let next = Infinity
    for (const { ends } of this.held.values()) {
      for (const end of ends) {
        next = end > now && end < next ? end : next
      }
    }
    return next
  }
}
