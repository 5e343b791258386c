import type { Log } from '../log.ts'
import { isPromiseLike } from './async.ts'
import { Call } from './call.ts'
import type { ClientResults } from './client-results.ts'
import type { Clients } from './clients.ts'
import type { Connection } from './connection.ts'
import { describe, InvalidDataException, OperationCanceledException, toError } from './errors.ts'
import { HubException, type Hub } from './hub.ts'
import type { HubOptions } from './options.ts'
import {
  completionOfStream,
  completionWithError,
  completionWithResult,
  MessageType,
  type Completion,
  type Invocation,
  type Message,
  type StreamInvocation,
  type StreamItem,
} from './protocol/messages.ts'
import { InvocationState, ServerStream, UploadStream } from './streams.ts'

/**
 * From the messages of clients to what they mean. What `dispatch` returns is what the reader of the connection has to
 * wait for before it looks at the next message: order and back-pressure rest on it.
 */
export class Dispatcher {
  readonly #hub: Hub
  readonly #options: HubOptions
  readonly #clients: Clients
  readonly #results: ClientResults
  readonly #log: Log

  constructor(hub: Hub, options: HubOptions, clients: Clients, results: ClientResults, log: Log) {
    this.#hub = hub
    this.#options = options
    this.#clients = clients
    this.#results = results
    this.#log = log
  }

  dispatch(connection: Connection, message: Message): Promise<void> | undefined {
    switch (message.type) {
      case MessageType.Invocation:
      case MessageType.StreamInvocation:
        return this.#invocation(connection, message)
      case MessageType.StreamItem:
        return this.#streamItem(connection, message)
      case MessageType.Completion:
        this.#completion(connection, message)
        return undefined
      case MessageType.CancelInvocation:
        connection.running?.streams.get(message.invocationId)?.cancel()
        return undefined
      case MessageType.Ping:
        connection.pinged()
        return undefined
      case MessageType.Close:
        connection.end(
          message.error === undefined ? {} : { error: new HubException(message.error), isKnownToClient: true },
        )
        return undefined
      default:
        return undefined
    }
  }

  /** Stops whatever runs for `connection`. */
  stopped(connection: Connection): void {
    const running = connection.running
    if (running) {
      for (const upload of running.uploads.values()) {
        upload.end(new OperationCanceledException('The underlying connection was closed.'))
      }
      running.uploads.clear()
      for (const stream of running.streams.values()) {
        stream.cancel()
      }
    }
    this.#results.disconnected(connection)
  }

  #invocation(connection: Connection, message: Invocation | StreamInvocation): Promise<void> | undefined {
    const method = this.#hub.find(message.target)
    if (!method) {
      return this.#refuse(connection, message, new HubException('Method does not exist.'))
    }
    const call = new Call(connection, message, method, this.#clients)
    try {
      call.args = method.parse(message.args)
    } catch (thrown) {
      return this.#refuse(connection, message, bindingError(thrown))
    }

    const running = (connection.running ??= new InvocationState(Math.max(1, this.#options.maxParallelInvocations)))
    // Streams may go on for ever: they take no slot, but the reader waits until they have begun.
    if (message.type === MessageType.StreamInvocation || method.uploads > 0) {
      return this.#start(call, running)
    }
    if (running.freeSlots > 0) {
      this.#startInSlot(call, running)
      return undefined
    }
    return new Promise((resolve) => {
      running.slotFreed = () => {
        this.#startInSlot(call, running)
        resolve()
      }
    })
  }

  /** Answers a call that did not get as far as a method. */
  #refuse(
    connection: Connection,
    { invocationId, target }: Invocation | StreamInvocation,
    error: Error,
  ): Promise<void> | undefined {
    this.#log.debug({ err: error, target, connectionId: connection.id }, 'hub invocation refused')
    if (invocationId === undefined) {
      return undefined
    }
    const text = `Failed to invoke '${target}' due to an error on the server.`
    return connection.send(completionWithError(invocationId, describe(text, error, this.#options.detailedErrors)))
  }

  #startInSlot(call: Call, running: InvocationState): void {
    call.takeSlot(running)
    void this.#start(call, running)
  }

  /** Asks whether the call is allowed, then runs it: in the same tick, if there is nothing to wait for. */
  #start(call: Call, running: InvocationState): Promise<void> | undefined {
    try {
      const isAllowed = call.method.authorize(call)
      if (isPromiseLike(isAllowed)) {
        return Promise.resolve(isAllowed).then(
          (allowed) => this.#run(call, running, allowed),
          (thrown: unknown) => this.#failed(call, thrown),
        )
      }
      this.#run(call, running, isAllowed)
    } catch (thrown) {
      this.#failed(call, thrown)
    }
    return undefined
  }

  #run(call: Call, running: InvocationState, isAllowed: boolean): void {
    const { message, method } = call
    const { target, streamIds } = message
    if (!isAllowed) {
      return this.#answerError(call, `Failed to invoke '${target}' because user is unauthorized`)
    }
    if (method.streams && message.type === MessageType.Invocation) {
      return this.#answerError(
        call,
        `The client attempted to invoke the streaming '${target}' method with a non-streaming invocation.`,
      )
    }
    if (!method.streams && message.type === MessageType.StreamInvocation) {
      return this.#answerError(
        call,
        `The client attempted to invoke the non-streaming '${target}' method with a streaming invocation.`,
      )
    }
    if (streamIds.length !== method.uploads) {
      const counts = `Client sent ${streamIds.length} stream(s), Hub method expects ${method.uploads}.`
      return this.#failed(call, new HubException(counts))
    }
    if (message.type === MessageType.StreamInvocation && running.streams.has(message.invocationId)) {
      return this.#answerError(call, `Invocation ID '${message.invocationId}' is already in use.`)
    }
    const taken = streamIds.find((id, index) => running.uploads.has(id) || streamIds.indexOf(id) !== index)
    if (taken !== undefined) {
      return this.#failed(call, new HubException(`Stream ID '${taken}' is already in use.`))
    }
    const opens = streamIds.length + (method.streams ? 1 : 0)
    if (opens > 0 && running.streams.size + running.uploads.size + opens > this.#options.maxStreams) {
      return this.#failed(call, new HubException(`No more than ${this.#options.maxStreams} streams may be open.`))
    }
    // The connection may have ended while the call waited for its slot, or its rights were looked up.
    if (call.connection.isEnded) {
      return call.releaseSlot()
    }

    if (streamIds.length > 0) {
      this.#openUploads(call, running)
    }
    if (message.type === MessageType.StreamInvocation) {
      this.#runStream(call, running, message.invocationId)
    } else {
      this.#runMethod(call)
    }
  }

  #openUploads(call: Call, running: InvocationState): void {
    const { message, method } = call
    call.uploads = message.streamIds.map((id, index) => {
      const upload = new UploadStream(this.#options.streamBufferCapacity, (item) => method.parseItem(index, item))
      running.uploads.set(id, upload)
      return upload
    })
  }

  #runMethod(call: Call): void {
    let result: unknown
    try {
      result = call.method.invoke(call)
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    if (!isPromiseLike(result)) {
      return this.#returned(call, result)
    }
    result.then(
      (value) => this.#returned(call, value),
      (thrown: unknown) => this.#failed(call, thrown),
    )
  }

  #returned(call: Call, value: unknown): void {
    const { connection, method, message } = call
    if (message.invocationId === undefined) {
      return this.#over(call)
    }
    try {
      const result = method.present ? method.present(value, connection.protocol) : value
      this.#over(call, completionWithResult(message.invocationId, result))
    } catch (thrown) {
      this.#failed(call, thrown)
    }
  }

  #failed(call: Call, thrown: unknown): void {
    const base = `An unexpected error occurred invoking '${call.message.target}' on the server.`
    this.#answerError(call, this.#tell(call, base, thrown))
  }

  #answerError(call: Call, text: string): void {
    const { invocationId } = call.message
    this.#over(call, invocationId === undefined ? undefined : completionWithError(invocationId, text))
  }

  #runStream(call: Call, running: InvocationState, invocationId: string): void {
    const end = (completion: Completion) => {
      // A stream that was cancelled has ended before its producer has.
      if (running.streams.get(invocationId) !== stream) {
        return
      }
      running.streams.delete(invocationId)
      this.#over(call, completion)
    }
    const stream = new ServerStream(() => end(completionOfStream(invocationId)))
    call.stream = stream
    running.streams.set(invocationId, stream)
    void this.#produce(call, stream, invocationId).then(end)
  }

  /** Runs a method that answers with a stream. Never rejects: what comes back is the end of the stream. */
  async #produce(call: Call, stream: ServerStream, invocationId: string): Promise<Completion> {
    const { connection, message, method } = call
    let base = `An unexpected error occurred invoking '${message.target}' on the server.`
    try {
      const source = await method.invoke(call)
      if (!isAsyncIterable(source)) {
        return completionWithError(
          invocationId,
          `The value returned by the streaming method '${method.name}' is not a ChannelReader<> or IAsyncEnumerable<>.`,
        )
      }
      base = 'An error occurred on the server while streaming results.'
      await stream.pump(source, (value) => {
        const item = method.present ? method.present(value, connection.protocol) : value
        return connection.send({ type: MessageType.StreamItem, invocationId, item })
      })
      return completionOfStream(invocationId)
    } catch (thrown) {
      return completionWithError(invocationId, this.#tell(call, base, thrown))
    }
  }

  /** The end of a call: its uploads are closed, its caller is answered, its slot is free when the answer is on its way. */
  #over(call: Call, completion?: Completion): void {
    const { connection, message, uploads } = call
    uploads.forEach((upload, index) => {
      upload.end()
      connection.running?.uploads.delete(message.streamIds[index] as string)
    })
    const wait = completion && connection.send(completion)
    if (wait) {
      void wait.then(() => call.releaseSlot())
    } else {
      call.releaseSlot()
    }
  }

  #streamItem(connection: Connection, { invocationId, item }: StreamItem): Promise<void> | undefined {
    const upload = connection.running?.uploads.get(invocationId)
    if (!upload) {
      return undefined
    }
    try {
      return upload.push(upload.parse(item))
    } catch (thrown) {
      connection.running?.uploads.delete(invocationId)
      const text = describe('Failed to bind Stream message.', bindingError(thrown), this.#options.detailedErrors)
      upload.end(new HubException(text))
      return undefined
    }
  }

  #completion(connection: Connection, message: Completion): void {
    const upload = connection.running?.uploads.get(message.invocationId)
    if (!upload) {
      return this.#results.complete(connection, message)
    }
    connection.running?.uploads.delete(message.invocationId)
    upload.end(message.error === undefined ? undefined : new HubException(message.error))
  }

  /** Logs a failure of hub code, and puts it in words for the client. */
  #tell(call: Call, base: string, thrown: unknown): string {
    const { connection, message } = call
    const fields = { err: toError(thrown), target: message.target, connectionId: connection.id }
    // What was meant for the client, and what fails because the client is gone, is no fault of ours.
    if (thrown instanceof HubException || call.signal.aborted) {
      this.#log.debug(fields, 'hub method failed')
    } else {
      this.#log.error(fields, 'hub method failed')
    }
    return describe(base, thrown, this.#options.detailedErrors)
  }
}

function bindingError(thrown: unknown): Error {
  return thrown instanceof HubException ? thrown : new InvalidDataException(toError(thrown).message)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
