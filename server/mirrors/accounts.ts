import type { Touched } from '../database.ts'
import { keysIn, Mirror } from './mirror.ts'

/** What each request of a user is checked against. */
export interface Account {
  id: string
  tenantId: string
  userName: string
  /** What was issued under another one is invalid. */
  securityStamp: string
  isPasswordChangeRequired: boolean
}

type Row = Omit<Account, 'isPasswordChangeRequired'> & { key: string; isPasswordChangeRequired: number }

/** The users, so that checking their credentials needs no query. */
export class Accounts extends Mirror<Row, Account> {
  protected readonly sql =
    'SELECT id AS key, id, tenantId, userName, securityStamp, isPasswordChangeRequired FROM users'

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'users')
  }

  protected override entryOf(row: Row): Account {
    const { key: _, isPasswordChangeRequired, ...account } = row
    return { ...account, isPasswordChangeRequired: isPasswordChangeRequired === 1 }
  }

  get(id: string): Account | undefined {
    return this.held.get(id)
  }

  get size(): number {
    return this.held.size
  }
}
