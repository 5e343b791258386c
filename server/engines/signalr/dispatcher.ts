import { attempt } from './attempt.ts'
import { Call, type CallContext } from './call.ts'
import type { Connection } from './connection.ts'
import { describe, InvalidDataException, OperationCanceledException, toError } from './errors.ts'
import { HubException, type Hub } from './hub.ts'
import {
  completionWithError,
  MessageType,
  readable,
  type Completion,
  type Invocation,
  type Message,
  type StreamInvocation,
  type StreamItem,
} from './protocol/messages.ts'
import { InvocationState } from './streams.ts'

/**
 * Decides what each message of a client does. The reader waits for the promise that `dispatch` returns before the next
 * message: order and back-pressure depend on it.
 */
export class Dispatcher {
  readonly #hub: Hub
  readonly #context: CallContext

  constructor(hub: Hub, context: CallContext) {
    this.#hub = hub
    this.#context = context
  }

  /** `bytes`: size of the message with its framing. */
  dispatch(connection: Connection, message: Message, bytes: number): PromiseLike<void> | undefined {
    const forwarded = this.#hub.forward?.(connection, message)
    if (forwarded) {
      return forwarded
    }
    switch (message.type) {
      case MessageType.Invocation:
      case MessageType.StreamInvocation:
        return this.#invocation(connection, message)
      case MessageType.StreamItem:
        return this.#streamItem(connection, message, bytes)
      case MessageType.Completion:
        this.#completion(connection, message)
        return undefined
      case MessageType.CancelInvocation:
        connection.running?.streams.get(message.invocationId)?.cancel()
        return undefined
      case MessageType.Close:
        connection.end(
          message.error === undefined
            ? { endedBy: 'client' }
            : { error: new HubException(message.error), isKnownToClient: true, endedBy: 'client' },
        )
        return undefined
      // The reader has handled pings; the other types have no effect.
      default:
        return undefined
    }
  }

  /** Stops all running calls and streams of `connection`. */
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
    this.#context.clients.results.disconnected(connection)
  }

  #invocation(connection: Connection, message: Invocation | StreamInvocation): PromiseLike<void> | undefined {
    const method = this.#hub.find(message.target)
    if (!method) {
      return this.#refuse(connection, message, new HubException('Method does not exist.'))
    }
    const call = new Call(connection, message, method, this.#context)
    try {
      call.args = method.parse(call.rawArgs)
    } catch (thrown) {
      return this.#refuse(connection, message, bindingError(thrown))
    }

    const { maxParallelInvocations, streamBufferBytes } = this.#context.options
    const running = (connection.running ??= new InvocationState(Math.max(1, maxParallelInvocations), streamBufferBytes))
    // Streams may run forever: they take no slot, but the reader waits until they have started.
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

  /** Rejects a call before it reaches a method. */
  #refuse(
    connection: Connection,
    { invocationId, target }: Invocation | StreamInvocation,
    error: Error,
  ): PromiseLike<void> | undefined {
    this.#context.log.debug({ err: error, target, connectionId: connection.id }, 'A hub invocation was rejected.')
    if (invocationId === undefined) {
      return undefined
    }
    const text = `Failed to invoke '${target}' due to an error on the server.`
    return connection.send(
      completionWithError(invocationId, describe(text, error, this.#context.options.detailedErrors)),
    )
  }

  #startInSlot(call: Call, running: InvocationState): void {
    call.takeSlot(running)
    void this.#start(call, running)
  }

  /** Checks the rights of the call, then runs it: in the same tick, if no promise is involved. */
  #start(call: Call, running: InvocationState): PromiseLike<void> | undefined {
    return attempt(
      () => call.method.authorize(call),
      (isAllowed) => this.#run(call, running, isAllowed),
      (thrown) => call.fail(thrown),
    )
  }

  #run(call: Call, running: InvocationState, isAllowed: boolean): void {
    const { message, method } = call
    const { target, streamIds } = message
    if (!isAllowed) {
      return call.answerError(`Failed to invoke '${target}' because user is unauthorized`)
    }
    if (method.streams && message.type === MessageType.Invocation) {
      return call.answerError(
        `The client attempted to invoke the streaming '${target}' method with a non-streaming invocation.`,
      )
    }
    if (!method.streams && message.type === MessageType.StreamInvocation) {
      return call.answerError(
        `The client attempted to invoke the non-streaming '${target}' method with a streaming invocation.`,
      )
    }
    if (streamIds.length !== method.uploads) {
      const counts = `Client sent ${streamIds.length} stream(s), Hub method expects ${method.uploads}.`
      return call.fail(new HubException(counts))
    }
    if (message.type === MessageType.StreamInvocation && running.streams.has(message.invocationId)) {
      return call.answerError(`Invocation ID '${message.invocationId}' is already in use.`)
    }
    const taken = streamIds.find((id, index) => running.uploads.has(id) || streamIds.indexOf(id) !== index)
    if (taken !== undefined) {
      return call.fail(new HubException(`Stream ID '${taken}' is already in use.`))
    }
    const opens = streamIds.length + (method.streams ? 1 : 0)
    if (opens > 0 && running.streams.size + running.uploads.size + opens > this.#context.options.maxStreams) {
      return call.fail(new HubException(`No more than ${this.#context.options.maxStreams} streams may be open.`))
    }
    // The connection may have ended while the call waited for its slot or its rights were checked.
    if (call.connection.isEnded) {
      return call.releaseSlot()
    }
    call.run(running)
  }

  #streamItem(
    connection: Connection,
    { invocationId, item }: StreamItem,
    bytes: number,
  ): PromiseLike<void> | undefined {
    const upload = connection.running?.uploads.get(invocationId)
    if (!upload) {
      return undefined
    }
    try {
      return upload.push(upload.parse(readable(item)), bytes)
    } catch (thrown) {
      connection.running?.uploads.delete(invocationId)
      const text = describe(
        'Failed to bind Stream message.',
        bindingError(thrown),
        this.#context.options.detailedErrors,
      )
      upload.end(new HubException(text))
      return undefined
    }
  }

  #completion(connection: Connection, message: Completion): void {
    const upload = connection.running?.uploads.get(message.invocationId)
    if (!upload) {
      return this.#context.clients.results.complete(connection, message)
    }
    connection.running?.uploads.delete(message.invocationId)
    upload.end(message.error === undefined ? undefined : new HubException(message.error))
  }
}

function bindingError(thrown: unknown): Error {
  return thrown instanceof HubException ? thrown : new InvalidDataException(toError(thrown).message, { cause: thrown })
}
