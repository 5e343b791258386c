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

/** Columns that decide about the names of an account. */
const nameColumns = ['tenantId', 'userName', 'guestName', 'displayName'] as const

const chosenName = ({ displayName, guestName, userName }: Account) => displayName || guestName || userName

/**
 * Join of the name that a row of `users AS u` chose, as `p.value`. Guests choose none: they have the name that the maker of
 * their link gave (T45).
 */
export const joinChosenName = `LEFT JOIN user_preferences AS p ON p.userId = u.id AND p.name = 'user-display-name'
  AND u.accountType <> 'External'`

/** Name beside the sign-in name of a row of `users AS u` with `joinChosenName`; null without one. */
export const givenName = `coalesce(nullif(p.value, ''), u.guestName)`

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
     FROM users AS u ${joinChosenName}`

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

  /**
   * Number of accounts by folded name. Follows each account: to count all names again after a sign-in would block the
   * event loop for as long as the largest tenant likes (T26).
   */
  readonly #namesakes = new Map<string, number>()

  protected override added(_: string, account: Account): void {
    this.#count(account, 1)
  }

  protected override replaced(_: string, account: Account, former: Account): void {
    if (nameColumns.some((column) => account[column] !== former[column])) {
      this.#count(former, -1)
      this.#count(account, 1)
    }
  }

  protected override removed(_: string, account: Account): void {
    this.#count(account, -1)
  }

  #count(account: Account, change: 1 | -1): void {
    const { tenantId, userName } = account
    for (const name of new Set([userName, chosenName(account)].map((each) => folded(tenantId, each)))) {
      const count = (this.#namesakes.get(name) ?? 0) + change
      if (count > 0) {
        this.#namesakes.set(name, count)
      } else {
        this.#namesakes.delete(name)
      }
    }
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
    const name = chosenName(account)
    const isShared = this.#namesakes.get(folded(account.tenantId, name))! > 1
    return (isShared || imitatesAnother(name)) && name !== account.userName ? `${name} (${account.userName})` : name
  }

  get(id: string): Account | undefined {
    return this.held.get(id)
  }

  get size(): number {
    return this.held.size
  }
}
