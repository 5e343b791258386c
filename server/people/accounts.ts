import { foldedName, imitatesAnother } from '../../shared/person-name.ts'
import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'

/** User data checked on each request. */
export interface Account {
  id: string
  tenantId: string
  userName: string
  /** Credentials issued under another stamp are invalid. */
  securityStamp: string
  isPasswordChangeRequired: boolean
  isDisabled: boolean
  /** True for a user who signs in with a password alone. */
  lacksSecondFactor: boolean
  /** Display name of an external user. */
  guestName: string | null
  /** Name that the user chose in the own account; null for an external user, whom the link names (T45). */
  displayName: string | null
}

/** Names of a tenant are compared within it. */
const folded = (tenantId: string, name: string) => `${tenantId} ${foldedName(name)}`

const chosenName = ({ displayName, guestName, userName }: Account) => displayName || guestName || userName

/**
 * Whether a row of `users AS u` signs in with a password alone. Users without a password sign in through a provider, which
 * decides about factors, or with a link.
 */
export const lacksSecondFactor = `(u.accountType = 'Interactive' AND u.passwordHash IS NOT NULL AND u.isTwoFactorEnabled = 0
  AND NOT EXISTS (SELECT 1 FROM passkeys WHERE passkeys.userId = u.id))`

type Flag = 'isPasswordChangeRequired' | 'isDisabled' | 'lacksSecondFactor'

type Row = Omit<Account, Flag> & { key: string } & Record<Flag, number>

/** Mirror of the users, so that checking their credentials needs no query. */
export class Accounts extends Mirror<Row, Account> {
  protected readonly sql = `SELECT u.id AS key, u.id, tenantId, userName, securityStamp, isPasswordChangeRequired, guestName,
       disabledAt IS NOT NULL AS isDisabled, ${lacksSecondFactor} AS lacksSecondFactor, p.value AS displayName
     FROM users AS u LEFT JOIN user_preferences AS p ON p.userId = u.id AND p.name = 'user-display-name'
       AND u.accountType <> 'External'`

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'users', 'user_preferences', 'passkeys')
  }

  protected override entryOf(row: Row): Account {
    return {
      id: row.id,
      tenantId: row.tenantId,
      userName: row.userName,
      securityStamp: row.securityStamp,
      guestName: row.guestName,
      displayName: row.displayName,
      isPasswordChangeRequired: row.isPasswordChangeRequired === 1,
      isDisabled: row.isDisabled === 1,
      lacksSecondFactor: row.lacksSecondFactor === 1,
    }
  }

  /** Number of accounts by folded name, counted at the next use after a change. */
  #namesakes: Map<string, number> | undefined

  protected override changed(): void {
    this.#namesakes = undefined
  }

  #countNames(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const account of this.held.values()) {
      const { tenantId, userName } = account
      const names = new Set([userName, chosenName(account)].map((name) => folded(tenantId, name)))
      names.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1))
    }
    return counts
  }

  /**
   * Names a user on every page: the chosen name, with the sign-in name beside it where another user of the tenant has the
   * same name or signs in with it, and beside a name that reads like one with such an addition. Undefined for an unknown id.
   */
  nameOf(id: string): string | undefined {
    const account = this.held.get(id)
    if (!account) {
      return undefined
    }
    this.#namesakes ??= this.#countNames()
    const name = chosenName(account)
    const isShared = (this.#namesakes.get(folded(account.tenantId, name)) ?? 0) > 1
    return (isShared || imitatesAnother(name)) && name !== account.userName ? `${name} (${account.userName})` : name
  }

  get(id: string): Account | undefined {
    return this.held.get(id)
  }

  get size(): number {
    return this.held.size
  }
}
