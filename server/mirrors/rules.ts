import type { ScopeKind } from '../../shared/access.ts'
import type { Touched } from '../database.ts'
import { keysIn, Mirror } from './mirror.ts'

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

/** A user's membership in a group. */
export interface Membership {
  groupId: string
  boundTo?: readonly string[]
}

type StoredRule = Omit<Rule, 'isEnabled' | 'boundTo'> & { isEnabled: number; groupId: null }
type StoredMembership = { [Member in keyof StoredRule]: Member extends 'groupId' ? string : null }
type Row = { key: string; madeWith: string | null } & (StoredRule | StoredMembership)

interface Held {
  rules: readonly Rule[]
  memberships: readonly Membership[]
}

const nothing: Held = { rules: [], memberships: [] }

const binding = (madeWith: string | null) => (madeWith === null ? {} : { boundTo: [madeWith] })

/**
 * Mirror of the permission assignments of every principal, and the groups of every user, so that evaluating a right
 * needs no query.
 */
export class Rules extends Mirror<Row, Held> {
  protected readonly sql = `SELECT principalId AS key, permissionName, effect, scopeKind, scopeId, isEnabled, NULL AS groupId, madeWith
      FROM permission_assignments
    UNION ALL SELECT userId AS key, NULL, NULL, NULL, NULL, NULL, groupId, madeWith FROM user_group_members`
  #generation = {}

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'permission_assignments', 'user_group_members')
  }

  protected override entryOf(_: Row, rows: readonly Row[]): Held {
    return {
      rules: rows.flatMap(({ key: _, groupId, isEnabled, madeWith, ...rule }) =>
        groupId === null
          ? [{ ...(rule as Omit<Rule, 'isEnabled'>), isEnabled: isEnabled === 1, ...binding(madeWith) }]
          : [],
      ),
      memberships: rows.flatMap(({ groupId, madeWith }) =>
        groupId === null ? [] : [{ groupId, ...binding(madeWith) }],
      ),
    }
  }

  protected override changed(): void {
    this.#generation = {}
  }

  protected override storedOf({ rules, memberships }: Held): unknown {
    return [rules, memberships].map((own) => own.map((one) => JSON.stringify(one)).toSorted())
  }

  /** The rows of one principal alone. */
  of(principalId: string): readonly Rule[] {
    return (this.held.get(principalId) ?? nothing).rules
  }

  membershipsOf(userId: string): readonly Membership[] {
    return (this.held.get(userId) ?? nothing).memberships
  }

  /**
   * Changes to another object after every change: values compiled from the rules are valid while the generation is the
   * same.
   */
  get generation(): object {
    return this.#generation
  }
}
