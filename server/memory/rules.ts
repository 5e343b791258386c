import type { ScopeKind } from '../../shared/access.ts'
import type { Touched } from '../database.ts'
import { keysIn, Mirror } from './mirror.ts'

/** One permission assignment of a principal. */
export interface Rule {
  permissionName: string
  effect: 'Allow' | 'Deny'
  scopeKind: ScopeKind
  scopeId: string | null
  isEnabled: boolean
}

type StoredRule = Omit<Rule, 'isEnabled'> & { isEnabled: number; groupId: null }
type StoredMembership = { [Member in keyof StoredRule]: Member extends 'groupId' ? string : null }
type Row = { key: string } & (StoredRule | StoredMembership)

interface Held {
  rules: readonly Rule[]
  groupIds: readonly string[]
}

const nothing: Held = { rules: [], groupIds: [] }

/**
 * The permission assignments of every principal, and the groups of every user, so that evaluating a right needs no
 * query.
 */
export class Rules extends Mirror<Row, Held> {
  protected readonly sql = `SELECT principalId AS key, permissionName, effect, scopeKind, scopeId, isEnabled, NULL AS groupId
      FROM permission_assignments
    UNION ALL SELECT userId AS key, NULL, NULL, NULL, NULL, NULL, groupId FROM user_group_members`
  #generation = {}

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'permission_assignments', 'user_group_members')
  }

  protected override entryOf(_: Row, rows: readonly Row[]): Held {
    return {
      rules: rows.flatMap(({ key: _, groupId, isEnabled, ...rule }) =>
        groupId === null ? [{ ...(rule as Omit<Rule, 'isEnabled'>), isEnabled: isEnabled === 1 }] : [],
      ),
      groupIds: rows.flatMap(({ groupId }) => groupId ?? []),
    }
  }

  protected override changed(): void {
    this.#generation = {}
  }

  protected override storedOf({ rules, groupIds }: Held): unknown {
    return [rules.map((rule) => JSON.stringify(rule)).toSorted(), groupIds.toSorted()]
  }

  /** The rows of one principal alone. */
  of(principalId: string): readonly Rule[] {
    return (this.held.get(principalId) ?? nothing).rules
  }

  groupsOf(userId: string): readonly string[] {
    return (this.held.get(userId) ?? nothing).groupIds
  }

  /** Another object after every change: what was compiled from the rules is valid while this stays the same. */
  get generation(): object {
    return this.#generation
  }
}
