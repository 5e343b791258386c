import type { Touched } from '../database.ts'
import { keysIn, Mirror } from './mirror.ts'

/** User data checked on each request. */
export interface Account {
  id: string
  tenantId: string
  userName: string
  /** Credentials issued under another stamp are invalid. */
  securityStamp: string
  isPasswordChangeRequired: boolean
  /** Display name of an external user. */
  guestName: string | null
}

type Row = Omit<Account, 'isPasswordChangeRequired'> & { key: string; isPasswordChangeRequired: number }

/** Mirror of the users, so that checking their credentials needs no query. */
export class Accounts extends Mirror<Row, Account> {
  protected readonly sql =
    'SELECT id AS key, id, tenantId, userName, securityStamp, isPasswordChangeRequired, guestName FROM users'

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
