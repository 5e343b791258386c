import { accountOf, type Principal } from '../ground/principal.ts'

const maxFeeds = { ofAccount: 20, inAll: 1_000 }

type Reader = Pick<Principal, 'id' | 'tenantId' | 'credential'>

const add = <Key>(counts: Map<Key, number>, key: Key, change: 1 | -1) => {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) {
    counts.set(key, count)
  } else {
    counts.delete(key)
  }
}

/** Number of open feeds, in all, by tenant and by account. Service accounts of the server share one place among the tenants. */
export class OpenFeeds {
  #inAll = 0
  readonly #ofTenant = new Map<string | null, number>()
  readonly #ofAccount = new Map<string, number>()

  /**
   * True for an account with too many feeds, and for a tenant that has as many as are left: one tenant gets half of all,
   * and each further one half of the rest, so that none can take the last from the others (T44).
   */
  isFull(reader: Reader): boolean {
    const left = maxFeeds.inAll - this.#inAll
    const own = this.#ofAccount.get(accountOf(reader)) ?? 0
    return own >= maxFeeds.ofAccount || (this.#ofTenant.get(reader.tenantId) ?? 0) >= left
  }

  add(reader: Reader): void {
    this.#change(reader, 1)
  }

  remove(reader: Reader): void {
    this.#change(reader, -1)
  }

  #change(reader: Reader, change: 1 | -1) {
    this.#inAll += change
    add(this.#ofTenant, reader.tenantId, change)
    add(this.#ofAccount, accountOf(reader), change)
  }
}
