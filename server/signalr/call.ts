import type { Log } from '../log.ts'
import { attempt } from './async.ts'
import type { Clients } from './clients.ts'
import type { Connection } from './connection.ts'
import { describe, toError } from './errors.ts'
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

/** What all calls of a hub share. */
export interface CallContext {
  readonly options: HubOptions
  readonly clients: Clients
  readonly log: Log
}

/** One invocation whose method is known, up to its Completion. */
export class Call implements HubCall {
  readonly connection: Connection
  readonly message: Invocation | StreamInvocation
  readonly method: HubMethod
  readonly #context: CallContext
  args: readonly unknown[] = []
  uploads: readonly UploadStream[] = []
  /** Set for a method that answers with a stream. */
  #stream: ServerStream | undefined
  #slotOf: InvocationState | undefined

  constructor(connection: Connection, message: Invocation | StreamInvocation, method: HubMethod, context: CallContext) {
    this.connection = connection
    this.message = message
    this.method = method
    this.#context = context
  }

  /** Throws where they could not be read. */
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
    // The result may be queued behind other invocations of this client: they must not wait for this one.
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

  /** Runs the method, and answers when it is done. All checks have passed. */
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

  /** Answers with what hub code has thrown. */
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
        this.method.parseItem(index, item),
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
      // A stream that was cancelled has ended before its producer has.
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

  /** Runs a method that answers with a stream. Never rejects: what comes back is the end of the stream. */
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

  /** The uploads are closed, the caller is answered, and the slot is free when the answer is on its way. */
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

  /** Logs a failure of hub code, and puts it in words for the client. */
  #explain(base: string, thrown: unknown): string {
    const { connection, message } = this
    const { options, log } = this.#context
    const fields = { err: toError(thrown), target: message.target, connectionId: connection.id }
    // An error meant for the client, or a failure because the client is gone, is not a fault of the server.
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
