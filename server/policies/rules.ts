import type { Database } from '../database.ts'
import { createTurns } from '../turns.ts'
import type { Rule } from './evaluate.ts'

interface StoredRule extends Omit<Rule, 'isEnabled'> {
  principalId: string
  isEnabled: number
}

const ruleColumns = 'principalId, permissionName, effect, scopeKind, scopeId, isEnabled'

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
        this.#groupsByUser.set(id, byUser.get(id)?.map(({ groupId }) => groupId) ?? [])
      }
    })
  }

  /** The rows of one principal alone. */
  of(principalId: string): readonly Rule[] {
    return this.#byPrincipal.get(principalId) ?? []
  }

  groupsOf(userId: string): readonly string[] {
    return this.#groupsByUser.get(userId) ?? []
  }
}
