import type { Clients } from './clients.ts'
import type { Connection } from './connection.ts'
import type { HubCall, HubMethod } from './hub.ts'
import type { Invocation, StreamInvocation } from './protocol/messages.ts'
import type { InvocationState, ServerStream, UploadStream } from './streams.ts'

/** One invocation on its way through the dispatcher. */
export class Call implements HubCall {
  readonly connection: Connection
  readonly message: Invocation | StreamInvocation
  readonly method: HubMethod
  readonly #clients: Clients
  args: readonly unknown[] = []
  uploads: readonly UploadStream[] = []
  /** Set for a method that answers with a stream. */
  stream: ServerStream | undefined
  #slotOf: InvocationState | undefined

  constructor(connection: Connection, message: Invocation | StreamInvocation, method: HubMethod, clients: Clients) {
    this.connection = connection
    this.message = message
    this.method = method
    this.#clients = clients
  }

  get rawArgs(): readonly unknown[] {
    return this.message.args
  }

  get signal(): AbortSignal {
    return this.stream?.signal ?? this.connection.signal
  }

  invokeClient(connectionId: string, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const result = this.#clients.invoke(connectionId, target, args, signal)
    // The answer may be behind other invocations of this client: they must not wait for us.
    this.releaseSlot()
    return result
  }

  takeSlot(running: InvocationState): void {
    running.freeSlots--
    this.#slotOf = running
  }

  /** Gives the slot back, if the call has one and did not do so before. */
  releaseSlot(): void {
    const running = this.#slotOf
    this.#slotOf = undefined
    running?.releaseSlot()
  }
}
