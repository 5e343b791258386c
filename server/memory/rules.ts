import type { Database } from '../database.ts'
import { createTurns } from '../turns.ts'
import type { PermissionName } from '../../shared/access.ts'
import type { Resource, Rule } from '../policies/evaluate.ts'

interface StoredRule extends Omit<Rule, 'isEnabled'> {
  principalId: string
  isEnabled: number
}

const ruleColumns = 'principalId, permissionName, effect, scopeKind, scopeId, isEnabled'

/** How many principals' compiled rights are kept; beyond it all are compiled anew as they are asked for. */
const maxCompiled = 10_000

type Compiled = (resource: Resource) => boolean

const parsed = ({ principalId: _, isEnabled, ...rule }: StoredRule): Rule => ({ ...rule, isEnabled: isEnabled === 1 })

/**
 * The permission assignments of every principal and the groups of every user, in memory: evaluating a right asks no
 * database. Whoever changes rows calls `refresh` or `refreshGroups` after the commit; the next request and the next hub
 * call see it.
 */
export class Rules {
  readonly #database: Database
  readonly #inOrder = createTurns()
  readonly #byPrincipal = new Map<string, readonly Rule[]>()
  readonly #groupsByUser = new Map<string, readonly string[]>()
  readonly #compiled = new Map<string, Map<PermissionName, Compiled>>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Reads every row. */
  async load(): Promise<void> {
    const rules = await this.#database.all<StoredRule>(`SELECT ${ruleColumns} FROM permission_assignments`)
    for (const [principalId, rows] of Map.groupBy(rules, (row) => row.principalId)) {
      this.#byPrincipal.set(principalId, rows.map(parsed))
    }
    const members = await this.#database.all<{ userId: string; groupId: string }>('SELECT * FROM user_group_members')
    for (const [userId, rows] of Map.groupBy(members, (row) => row.userId)) {
      this.#groupsByUser.set(
        userId,
        rows.map(({ groupId }) => groupId),
      )
    }
  }

  /** Reads the assignments of some principals again. */
  refresh(principalIds: Iterable<string>): Promise<void> {
    const ids = [...principalIds]
    return this.#inOrder(async () => {
      const rows = await this.#database.all<StoredRule>(
        `SELECT ${ruleColumns} FROM permission_assignments WHERE principalId IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(ids)],
      )
      const byPrincipal = Map.groupBy(rows, (row) => row.principalId)
      for (const id of ids) {
        const own = byPrincipal.get(id)
        if (own) {
          this.#byPrincipal.set(id, own.map(parsed))
        } else {
          this.#byPrincipal.delete(id)
        }
      }
      this.#compiled.clear()
    })
  }

  /** Reads the groups of some users again. */
  refreshGroups(userIds: Iterable<string>): Promise<void> {
    const ids = [...userIds]
    return this.#inOrder(async () => {
      const rows = await this.#database.all<{ userId: string; groupId: string }>(
        'SELECT * FROM user_group_members WHERE userId IN (SELECT value FROM json_each(?))',
        [JSON.stringify(ids)],
      )
      const byUser = Map.groupBy(rows, (row) => row.userId)
      for (const id of ids) {
        const own = byUser.get(id)
        if (own) {
          this.#groupsByUser.set(
            id,
            own.map(({ groupId }) => groupId),
          )
        } else {
          this.#groupsByUser.delete(id)
        }
      }
      this.#compiled.clear()
    })
  }

  /** The rows of one principal alone. */
  of(principalId: string): readonly Rule[] {
    return this.#byPrincipal.get(principalId) ?? []
  }

  groupsOf(userId: string): readonly string[] {
    return this.#groupsByUser.get(userId) ?? []
  }

  /** The compiled right of a principal; `compile` runs once until any rule changes. */
  compiled(principal: string, permission: PermissionName, compile: () => Compiled): Compiled {
    const known = this.#compiled.get(principal)
    const right = known?.get(permission)
    if (right) {
      return right
    }
    if (!known && this.#compiled.size >= maxCompiled) {
      this.#compiled.clear()
    }
    const fresh = compile()
    this.#compiled.set(principal, (known ?? new Map<PermissionName, Compiled>()).set(permission, fresh))
    return fresh
  }
}
