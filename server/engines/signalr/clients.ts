import { ClientResults, connectionLost, connectionUnknown } from './client-results.ts'
import type { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { toError } from './errors.ts'
import { HubException, type Audience, type HubClients } from './hub.ts'
import { jsonProtocol } from './protocol/json.ts'
import { messagePackProtocol } from './protocol/messagepack.ts'
import type { Invocation, Payload } from './protocol/messages.ts'

const sent = Promise.resolve()

export class Clients implements HubClients {
  readonly connections = new Connections()
  /** Pending invocations of single clients. */
  readonly results = new ClientResults()
  readonly all = this.#audience(() => this.connections)

  allExcept(connectionIds: Iterable<string>): Audience {
    return this.#audience(() => except(this.connections, connectionIds))
  }

  client(connectionId: string): Audience {
    return this.#audience(() => this.#byIds([connectionId]))
  }

  clients(connectionIds: Iterable<string>): Audience {
    return this.#audience(() => this.#byIds(new Set(connectionIds)))
  }

  group(name: string): Audience {
    return this.#audience(() => this.connections.group(name))
  }

  groups(names: readonly string[]): Audience {
    if (names.includes('')) {
      throw new Error('Group name cannot be empty.')
    }
    return this.#audience(() => names.flatMap((name) => [...this.connections.group(name)]))
  }

  groupExcept(name: string, connectionIds: Iterable<string>): Audience {
    return this.#audience(() => except(this.connections.group(name), connectionIds))
  }

  user(userId: string): Audience {
    return this.#audience(() => this.connections.user(userId))
  }

  users(userIds: Iterable<string>): Audience {
    return this.#audience(() => [...new Set(userIds)].flatMap((id) => [...this.connections.user(id)]))
  }

  async invoke(connectionId: string, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const connection = this.connections.get(connectionId)
    if (!connection) {
      throw connectionUnknown(connectionId)
    }
    if (connection.isEnded) {
      throw connectionLost(connectionId)
    }
    // The result would not be read before the connected callback ends, and that callback may be waiting for the result.
    if (connection.isConnecting) {
      throw new HubException('Client results inside OnConnectedAsync Hub methods are not allowed.')
    }
    return this.results.invoke(connection, target, presentArgs(connection, target, args), signal)
  }

  isAwaited(connectionId: string): boolean {
    const connection = this.connections.get(connectionId)
    return connection !== undefined && this.results.isAwaited(connection)
  }

  *#byIds(ids: Iterable<string>): Iterable<Connection> {
    for (const id of ids) {
      const connection = this.connections.get(id)
      if (connection) {
        yield connection
      }
    }
  }

  #audience(recipients: () => Iterable<Connection>): Audience {
    return { send: (target, args) => this.#send(recipients(), target, args) }
  }

  #send(recipients: Iterable<Connection>, target: string, args: readonly unknown[]): Promise<void> {
    const message = new SharedInvocation(target, args)
    let waits: Promise<void>[] | undefined
    for (const connection of recipients) {
      const wait = message.sendTo(connection)
      if (wait) {
        ;(waits ??= []).push(wait)
      }
    }
    return waits ? Promise.all(waits).then(() => {}) : sent
  }
}

/** An invocation for many clients, encoded once per protocol. */
class SharedInvocation {
  readonly #target: string
  readonly #args: readonly unknown[]
  #json: Payload | undefined
  #messagePack: Payload | undefined

  constructor(target: string, args: readonly unknown[]) {
    this.#target = target
    this.#args = args
  }

  /** Ends a connection whose encoding fails; the caller sees no error. */
  sendTo(connection: Connection): Promise<void> | undefined {
    if (connection.isEnded) {
      return undefined
    }
    try {
      return connection.sendPayload(
        connection.protocol === 'json'
          ? (this.#json ??= Buffer.from(jsonProtocol.write(this.#invocation(connection))))
          : (this.#messagePack ??= messagePackProtocol.write(this.#invocation(connection))),
      )
    } catch (thrown) {
      connection.end({ error: toError(thrown), allowReconnect: true })
      return undefined
    }
  }

  #invocation(connection: Connection): Invocation {
    const args = presentArgs(connection, this.#target, this.#args)
    return { type: 1, invocationId: undefined, target: this.#target, args, streamIds: [] }
  }
}

/** Converts arguments for the protocol of `connection`. */
function presentArgs({ hub, protocol }: Connection, target: string, args: readonly unknown[]): readonly unknown[] {
  return hub.presentArgs ? hub.presentArgs(target, args, protocol) : args
}

function* except(connections: Iterable<Connection>, ids: Iterable<string>): Iterable<Connection> {
  const excluded = new Set(ids)
  for (const connection of connections) {
    if (!excluded.has(connection.id)) {
      yield connection
    }
  }
}
