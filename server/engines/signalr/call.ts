import type { Log } from '../../ground/log.ts'
import { attempt } from './attempt.ts'
import type { Clients } from './clients.ts'
import type { Connection } from './connection.ts'
import { describe, toError } from './errors.ts'
import { Base64Text } from './protocol/base64-items.ts'
import { HubException, type Groups, type HubCall, type HubClients, type HubMethod } from './hub.ts'
import type { HubOptions } from './options.ts'
import {
  completionOfStream,
  completionWithError,
  completionWithResult,
  MessageType,
  readable,
  type Completion,
  type Invocation,
  type StreamInvocation,
} from './protocol/messages.ts'
import { ServerStream, UploadStream, type InvocationState } from './streams.ts'

/** Dependencies shared by all calls of a hub. */
export interface CallContext {
  readonly options: HubOptions
  readonly clients: Clients
  readonly log: Log
}

/** An invocation of a known method, up to its Completion. */
export class Call implements HubCall {
  readonly connection: Connection
  readonly message: Invocation | StreamInvocation
  readonly method: HubMethod
  readonly #context: CallContext
  args: readonly unknown[] = []
  state: object | undefined
  uploads: readonly UploadStream[] = []
  /** Set for a streaming method. */
  #stream: ServerStream | undefined
  #slotOf: InvocationState | undefined

  constructor(connection: Connection, message: Invocation | StreamInvocation, method: HubMethod, context: CallContext) {
    this.connection = connection
    this.message = message
    this.method = method
    this.#context = context
  }

  /** Throws if the arguments could not be decoded. */
  get rawArgs(): readonly unknown[] {
    return readable(this.message.args)
  }

  get clients(): HubClients {
    return this.#context.clients
  }

  get groups(): Groups {
    return this.#context.clients.connections
  }

  get signal(): AbortSignal {
    return this.#stream?.signal ?? this.connection.signal
  }

  invokeClient(connectionId: string, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const result = this.#context.clients.invoke(connectionId, target, args, signal)
    // The result may be queued behind other invocations of this client: those must not wait for this invocation.
    this.releaseSlot()
    return result
  }

  takeSlot(running: InvocationState): void {
    running.freeSlots--
    this.#slotOf = running
  }

  /** Releases the invocation slot, if the call still has one. */
  releaseSlot(): void {
    const running = this.#slotOf
    this.#slotOf = undefined
    running?.releaseSlot()
  }

  /** Runs the method and sends its Completion. All checks have passed. */
  run(running: InvocationState): void {
    const { message, method } = this
    if (message.streamIds.length > 0) {
      this.#openUploads(running)
    }
    if (message.type === MessageType.StreamInvocation) {
      this.#runStream(running, message.invocationId)
    } else {
      void attempt(
        () => method.invoke(this),
        (value) => this.#returned(value),
        (thrown) => this.fail(thrown),
      )
    }
  }

  /** Completes the call with an error thrown by hub code. */
  fail(thrown: unknown): void {
    this.answerError(
      this.#explain(`An unexpected error occurred invoking '${this.message.target}' on the server.`, thrown),
    )
  }

  answerError(text: string): void {
    const { invocationId } = this.message
    this.#finish(invocationId === undefined ? undefined : completionWithError(invocationId, text))
  }

  #openUploads(running: InvocationState): void {
    const { streamBufferCapacity } = this.#context.options
    this.uploads = this.message.streamIds.map((id, index) => {
      const upload = new UploadStream(streamBufferCapacity, running.unread, (item) =>
        this.method.parseItem(
          index,
          item instanceof Base64Text ? (this.method.readsBytes ? item.bytes : item.text) : item,
        ),
      )
      running.uploads.set(id, upload)
      return upload
    })
  }

  #returned(value: unknown): void {
    const { invocationId } = this.message
    if (invocationId === undefined) {
      return this.#finish()
    }
    try {
      this.#finish(completionWithResult(invocationId, this.#present(value)))
    } catch (thrown) {
      this.fail(thrown)
    }
  }

  #runStream(running: InvocationState, invocationId: string): void {
    const end = (completion: Completion) => {
      // A cancelled stream ends before its producer does.
      if (running.streams.get(invocationId) !== stream) {
        return
      }
      running.streams.delete(invocationId)
      this.#finish(completion)
    }
    const stream = new ServerStream(() => end(completionOfStream(invocationId)))
    this.#stream = stream
    running.streams.set(invocationId, stream)
    void this.#produce(stream, invocationId).then(end)
  }

  /** Runs a streaming method. Never rejects: resolves with the Completion that ends the stream. */
  async #produce(stream: ServerStream, invocationId: string): Promise<Completion> {
    const { connection, message, method } = this
    let base = `An unexpected error occurred invoking '${message.target}' on the server.`
    try {
      const source = await method.invoke(this)
      if (!isAsyncIterable(source)) {
        return completionWithError(
          invocationId,
          `The value returned by the streaming method '${method.name}' is not a ChannelReader<> or IAsyncEnumerable<>.`,
        )
      }
      base = 'An error occurred on the server while streaming results.'
      await stream.pump(source, (value) =>
        connection.send({ type: MessageType.StreamItem, invocationId, item: this.#present(value) }),
      )
      return completionOfStream(invocationId)
    } catch (thrown) {
      return completionWithError(invocationId, this.#explain(base, thrown))
    }
  }

  #present(value: unknown): unknown {
    const { connection, method } = this
    return method.present ? method.present(value, connection.protocol) : value
  }

  /** Closes the uploads and sends the Completion; the slot is free once the Completion is flushed. */
  #finish(completion?: Completion): void {
    const { connection, message, uploads } = this
    uploads.forEach((upload, index) => {
      upload.release()
      connection.running?.uploads.delete(message.streamIds[index] as string)
    })
    const wait = completion && connection.send(completion)
    if (wait) {
      void wait.then(() => this.releaseSlot())
    } else {
      this.releaseSlot()
    }
  }

  /** Logs a failure of hub code and returns its text for the client. */
  #explain(base: string, thrown: unknown): string {
    const { connection, message } = this
    const { options, log } = this.#context
    const fields = { err: toError(thrown), target: message.target, connectionId: connection.id }
    // Errors meant for the client, and failures because the client disconnected, are not faults of the server.
    if (thrown instanceof HubException || this.signal.aborted) {
      log.debug(fields, 'A hub method failed.')
    } else {
      log.error(fields, 'A hub method failed.')
    }
    return describe(base, thrown, options.detailedErrors)
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
