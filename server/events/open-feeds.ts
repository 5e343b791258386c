const maxFeeds = { ofPrincipal: 20, inAll: 1_000 }

interface Reader {
  id: string
  /** Null for service accounts of the server, which share one place among the tenants. */
  tenantId: string | null
}

const add = <Key>(counts: Map<Key, number>, key: Key, change: 1 | -1) => {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) {
    counts.set(key, count)
  } else {
    counts.delete(key)
  }
}

/** Number of open feeds, in all, by tenant and by principal. */
export class OpenFeeds {
  #inAll = 0
  readonly #ofTenant = new Map<string | null, number>()
  readonly #ofPrincipal = new Map<string, number>()

  /**
   * True for a principal with too many feeds, and for a tenant that has as many as are left: one tenant gets half of all,
   * and each further one half of the rest, so that none can take the last from the others (T44).
   */
  isFull({ id, tenantId }: Reader): boolean {
    const left = maxFeeds.inAll - this.#inAll
    return (this.#ofPrincipal.get(id) ?? 0) >= maxFeeds.ofPrincipal || (this.#ofTenant.get(tenantId) ?? 0) >= left
  }

  add(reader: Reader): void {
    this.#change(reader, 1)
  }

  remove(reader: Reader): void {
    this.#change(reader, -1)
  }

  #change({ id, tenantId }: Reader, change: 1 | -1) {
    this.#inAll += change
    add(this.#ofTenant, tenantId, change)
    add(this.#ofPrincipal, id, change)
  }
}
