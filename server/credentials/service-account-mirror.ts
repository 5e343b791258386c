import type { Touched } from '../engines/database/database.ts'
import type { ServiceAccountRow } from './tables.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'

/** Service account data that decides about what the account made. */
export interface HeldServiceAccount extends Pick<ServiceAccountRow, 'id' | 'tenantId' | 'name' | 'accessMode'> {
  isEnabled: boolean
}

type Row = Omit<HeldServiceAccount, 'isEnabled'> & { key: string; isEnabled: number }

/** Mirror of the service accounts, so that checking the maker of a link needs no query. */
export class ServiceAccounts extends Mirror<Row, HeldServiceAccount> {
  protected readonly sql = 'SELECT id AS key, id, tenantId, name, accessMode, isEnabled FROM service_accounts'

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'service_accounts')
  }

  protected override entryOf({ key: _, isEnabled, ...account }: Row): HeldServiceAccount {
    return { ...account, isEnabled: isEnabled === 1 }
  }

  get(id: string): HeldServiceAccount | undefined {
    return this.held.get(id)
  }
}
