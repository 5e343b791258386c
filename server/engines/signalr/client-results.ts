import type { Connection } from './connection.ts'
import { InvalidOperationException, OperationCanceledException, toError } from './errors.ts'
import { HubException } from './hub.ts'
import { readable, type Completion } from './protocol/messages.ts'

interface PendingResult {
  readonly connection: Connection
  readonly target: string
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Invocations of single clients that wait for a result. Ids are counted per hub. */
export class ClientResults {
  readonly #pending = new Map<string, PendingResult>()
  /** Ids of the pending invocations of each client that has some: a closing server asks for thousands of clients. */
  readonly #idsOf = new Map<Connection, Set<string>>()
  #lastId = 0

  /** Invokes a method of `connection` and waits for the result, without a time limit, until `signal` aborts. */
  invoke(connection: Connection, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const { promise, id, cancel } = this.#expect(connection, target)
    if (signal?.aborted) {
      cancel()
    } else if (signal) {
      signal.addEventListener('abort', cancel)
      const forget = () => signal.removeEventListener('abort', cancel)
      promise.then(forget, forget)
    }
    if (this.#pending.has(id)) {
      void connection.send({ type: 1, invocationId: id, target, args, streamIds: [] })
    }
    return promise
  }

  /** Resolves the pending invocation of a Completion; ignores an unknown id. */
  complete(connection: Connection, { invocationId, error, hasResult, result }: Completion): void {
    const pending = this.#pending.get(invocationId)
    if (!pending) {
      return
    }
    if (pending.connection !== connection) {
      throw new InvalidOperationException(
        `Connection ID '${connection.id}' is not valid for invocation ID '${invocationId}'.`,
      )
    }
    this.#take(invocationId)
    if (error !== undefined) {
      return pending.reject(new HubException(error))
    }
    if (!hasResult) {
      return pending.reject(new HubException("Client didn't provide a result."))
    }
    try {
      const { hub } = connection
      const value = readable(result)
      pending.resolve(hub.parseResult ? hub.parseResult(pending.target, value) : value)
    } catch (thrown) {
      const detail = toError(thrown).message
      pending.reject(new HubException(`Error trying to deserialize result to ${pending.target}. ${detail}`))
    }
  }

  /** Whether an invocation of a client waits for its result. */
  isAwaited(connection: Connection): boolean {
    return this.#idsOf.has(connection)
  }

  /** Rejects every pending invocation of a disconnected client. */
  disconnected(connection: Connection): void {
    for (const id of this.#idsOf.get(connection) ?? []) {
      this.#take(id)?.reject(connectionLost(connection.id))
    }
  }

  #expect(connection: Connection, target: string) {
    const id = `s${++this.#lastId}`
    let cancel!: () => void
    const promise = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { connection, target, resolve, reject })
      this.#idsOf.set(connection, (this.#idsOf.get(connection) ?? new Set()).add(id))
      cancel = () => this.#take(id)?.reject(new OperationCanceledException('Invocation canceled by the server.'))
    })
    return { promise, id, cancel }
  }

  /** Removes a pending invocation. */
  #take(id: string): PendingResult | undefined {
    const pending = this.#pending.get(id)
    if (pending) {
      this.#pending.delete(id)
      const ids = this.#idsOf.get(pending.connection)
      ids?.delete(id)
      if (ids?.size === 0) {
        this.#idsOf.delete(pending.connection)
      }
    }
    return pending
  }
}

export const connectionLost = (id: string) => new HubException(`Connection '${id}' disconnected.`)
export const connectionUnknown = (id: string) => new HubException(`Connection '${id}' does not exist.`)
