import type { Database } from '../database.ts'
import { createTurns } from '../turns.ts'

/** What each request of a user depends on. */
export interface Account {
  id: string
  tenantId: string
  userName: string
  /** What was issued under another one is void. */
  securityStamp: string
  isPasswordChangeRequired: boolean
}

type StoredAccount = Omit<Account, 'isPasswordChangeRequired'> & { isPasswordChangeRequired: number }

const columns = 'id, tenantId, userName, securityStamp, isPasswordChangeRequired'

const parsed = (row: StoredAccount): Account => ({
  ...row,
  isPasswordChangeRequired: row.isPasswordChangeRequired === 1,
})

/** Ends what was issued to a user, except the session that the change was made from. */
export type EndAccess = (userId: string, keptSession: string | undefined) => Promise<void>

/**
 * The users, in memory: whether what they hold still counts asks no database. Whoever changes a security stamp, a name, a
 * tenant or `isPasswordChangeRequired`, or deletes users, calls `refresh` after the commit; nobody has to tell of new ones.
 */
export class Accounts {
  readonly #database: Database
  readonly #endAccess: EndAccess
  readonly #inOrder = createTurns()
  readonly #byId = new Map<string, Account>()

  constructor(database: Database, endAccess: EndAccess) {
    this.#database = database
    this.#endAccess = endAccess
  }

  async load(): Promise<void> {
    for (const row of await this.#database.all<StoredAccount>(`SELECT ${columns} FROM users`)) {
      this.#byId.set(row.id, parsed(row))
    }
  }

  /** A user that has been looked for before. */
  get(id: string): Account | undefined {
    return this.#byId.get(id)
  }

  /** A user; one that is not known yet is read. */
  async find(id: string): Promise<Account | undefined> {
    return this.#byId.get(id) ?? (await this.#inOrder(() => this.#read([id]))).get(id)
  }

  /** Reads users again. What was issued to those that are gone, or have another stamp, ends: sessions and connections. */
  async refresh(userIds: Iterable<string>, keptSession?: string): Promise<void> {
    const ids = [...userIds]
    const changed = await this.#inOrder(async () => {
      const before = new Map(ids.map((id) => [id, this.#byId.get(id)]))
      const now = await this.#read(ids)
      return ids.filter((id) => !now.has(id) || now.get(id)?.securityStamp !== before.get(id)?.securityStamp)
    })
    for (const id of changed) {
      await this.#endAccess(id, keptSession)
    }
  }

  async #read(ids: readonly string[]): Promise<ReadonlyMap<string, Account>> {
    const rows = await this.#database.all<StoredAccount>(
      `SELECT ${columns} FROM users WHERE id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ids)],
    )
    const accounts = new Map(rows.map((row) => [row.id, parsed(row)]))
    for (const id of ids) {
      const account = accounts.get(id)
      if (account) {
        this.#byId.set(id, account)
      } else {
        this.#byId.delete(id)
      }
    }
    return accounts
  }
}
