import type { Connection } from './connection.ts'
import type { ConnectionList, Groups } from './hub.ts'

const noConnections: ReadonlySet<Connection> = new Set()

/** Open connections, by id, user and group. */
export class Connections implements ConnectionList, Groups {
  readonly #byId = new Map<string, Connection>()
  readonly #byUser = new Map<string, Set<Connection>>()
  readonly #byGroup = new Map<string, Set<Connection>>()

  get count(): number {
    return this.#byId.size
  }

  get(id: string): Connection | undefined {
    return this.#byId.get(id)
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#byId.values()
  }

  group(name: string): ReadonlySet<Connection> {
    return this.#byGroup.get(name) ?? noConnections
  }

  user(id: string): ReadonlySet<Connection> {
    return this.#byUser.get(id) ?? noConnections
  }

  enter(connection: Connection): void {
    this.#byId.set(connection.id, connection)
    const { userId } = connection
    if (userId !== undefined) {
      addTo(this.#byUser, userId, connection)
    }
  }

  /** Removes `connection` from its user and groups; its id can still be looked up. */
  leave(connection: Connection): void {
    const { userId } = connection
    if (userId !== undefined) {
      removeFrom(this.#byUser, userId, connection)
    }
    for (const group of connection.groups ?? []) {
      removeFrom(this.#byGroup, group, connection)
    }
    connection.groups = undefined
  }

  forget(connection: Connection): void {
    this.#byId.delete(connection.id)
  }

  add(connectionId: string, group: string): void {
    const connection = this.#byId.get(connectionId)
    if (!connection || connection.isEnded) {
      return
    }
    ;(connection.groups ??= new Set()).add(group)
    addTo(this.#byGroup, group, connection)
  }

  remove(connectionId: string, group: string): void {
    const connection = this.#byId.get(connectionId)
    if (connection?.groups?.delete(group)) {
      removeFrom(this.#byGroup, group, connection)
    }
  }
}

function addTo(sets: Map<string, Set<Connection>>, name: string, connection: Connection): void {
  const set = sets.get(name)
  if (set) {
    set.add(connection)
  } else {
    sets.set(name, new Set([connection]))
  }
}

function removeFrom(sets: Map<string, Set<Connection>>, name: string, connection: Connection): void {
  const set = sets.get(name)
  if (set?.delete(connection) && set.size === 0) {
    sets.delete(name)
  }
}
