import type { HubResult } from '../../shared/dtos/hub-result.ts'
import type { App, Call, RouteCall } from '../call/call.ts'
import { rightsGate } from '../call/running-work.ts'
import { AppError, databaseAway, forbidden } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import {
  accepted,
  agentOf,
  explainFailure,
  patienceMs,
  timedOut,
  type Agent,
  type AgentOfDevice,
} from '../devices/calls.ts'
import type { Gate } from '../engines/flow/gate.ts'
import type { Arrival, StreamKind } from '../engines/flow/stream-bridge.ts'
import type { RemoteSessionKind } from '../../shared/dtos/remote-session.ts'
import { openTransfer, transferKeysOf } from '../devices/device-transfers.ts'
import { beginSession, sessionEnded } from './session-lifecycle.ts'

export const transferLifetimeMs = 30 * 60_000
/** Maximum lifetime of a listing or a preview. */
export const listingLifetimeMs = 5 * 60_000

interface Request<Result extends HubResult> {
  device: DeviceState
  kind: StreamKind
  /** Kind in the list of sessions; listings are no sessions. */
  session?: RemoteSessionKind
  /** Time until the agent answers or begins to send. */
  answerMs: number
  lifetimeMs: number
  ask(agent: Agent, streamId: string): Promise<Result>
  refused(reason: string): AppError
}

const brokenOff = 'The device aborted the transfer.'
const sentNothing =
  `The device answered, but sent none of the data within ${patienceMs / 1000} seconds. ` +
  'Its agent may not be able to open the file.'

const clientLeft = () => new AppError(400, 'The client disconnected.')

/** Call that starts a transfer. */
export type TransferCall = Call & Pick<RouteCall, 'closed' | 'recheck'>

/**
 * Lifetime of a request's work. Ends when the client disconnects, the time limit is reached, or the credential or the
 * right ends (T29).
 */
export class Lifetime {
  readonly #gate: Gate
  readonly #recheck: () => Promise<unknown>
  readonly #ended = new AbortController()
  readonly signal: AbortSignal = this.#ended.signal
  bytesToDevice = 0
  bytesFromDevice = 0
  /** Set once all bytes are transferred; an end after that is no failure. */
  isDone = false

  constructor(call: TransferCall, lifetimeMs: number, listed?: { kind: RemoteSessionKind; device: DeviceState }) {
    const { app, closed, recheck } = call
    this.#gate = rightsGate(app.database)
    this.#recheck = recheck
    if (listed) {
      this.#list(call, listed)
    }
    const cancel = app.clock.after(lifetimeMs, () => this.end(timedOut()))
    const check = () => void recheck().catch((refusal: Error) => this.end(refusal))
    const forget = app.runningWork.add(check)
    this.signal.addEventListener('abort', () => {
      cancel()
      forget()
    })
    // The credential may have ended during earlier awaits of the request.
    check()
    const client = closed()
    const leave = () => this.end(clientLeft())
    client.addEventListener('abort', leave)
    if (client.aborted) {
      leave()
    }
  }

  #list(call: Call, listed: { kind: RemoteSessionKind; device: DeviceState }) {
    const session = beginSession(call, {
      ...listed,
      isConnected: true,
      endsWith: 'work',
      bytesToDevice: () => this.bytesToDevice,
      bytesFromDevice: () => this.bytesFromDevice,
      stop: (reason) => this.end(forbidden(reason)),
    })
    this.signal.addEventListener('abort', () =>
      sessionEnded(call.app, session, this.isDone ? 'Done.' : (this.signal.reason as Error).message),
    )
  }

  end(reason: Error): void {
    this.#ended.abort(reason)
  }

  /** Waits before bytes are passed on while the right to them cannot be known; throws at the end of the lifetime. */
  async pass(): Promise<void> {
    const opened = this.#gate()
    if (opened) {
      await opened.catch(() => this.end(databaseAway))
      // The check that follows a commit may be later than this.
      await this.#recheck().catch((refusal: Error) => this.end(refusal))
    }
    this.signal.throwIfAborted()
  }

  /** Settles like `work`, but rejects at the end of the lifetime. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { promise: end, reject } = Promise.withResolvers<never>()
    const stop = () => reject(this.signal.reason as Error)
    this.signal.addEventListener('abort', stop)
    if (this.signal.aborted) {
      stop()
    }
    try {
      return await Promise.race([work, end])
    } finally {
      this.signal.removeEventListener('abort', stop)
    }
  }
}

/**
 * Call of an agent that answers with a result and a stream, in either order. A failure of one part ends both; so does
 * the end of the request that streams the items as its response.
 */
export class AgentExchange<Item, Result extends HubResult = HubResult> {
  readonly #app: App
  readonly #agent: AgentOfDevice
  readonly #life: Lifetime
  readonly #answer: Promise<Result>
  readonly #arrival: Promise<Arrival>
  #hasArrived = false
  #stopWaiting = () => {}

  constructor(call: RouteCall, { device, kind, session, answerMs, lifetimeMs, ask, refused }: Request<Result>) {
    const { app } = call
    this.#app = app
    this.#agent = agentOf(device)
    const held = openTransfer(call, device)
    this.#life = new Lifetime(call, lifetimeMs, session && { kind: session, device })
    const { signal } = this.#life
    if (signal.aborted) {
      held.close()
      throw signal.reason
    }
    const { connectionId } = this.#agent
    const { id, arrival } = app.streams.expect(connectionId, kind, { keys: transferKeysOf(call, device), signal })
    signal.addEventListener('abort', () => {
      held.close()
      this.#stopWaiting()
    })
    this.#waitFor(answerMs)
    const fail = (error: unknown): never => {
      throw this.#fail(error)
    }
    this.#answer = ask(app.hubs.agent.invoke(connectionId, signal), id)
      .then((result) => accepted(result, refused))
      .catch(fail)
    this.#arrival = arrival.catch(fail)
    // Callers of `answer` or `stream` get the failure.
    const isTold = () => {}
    this.#answer.then(() => this.#hasArrived || this.#waitFor(patienceMs, sentNothing), isTold)
    this.#arrival.then(() => {
      // From here on only the lifetime and the pace of the reader limit the stream.
      this.#hasArrived = true
      this.#stopWaiting()
    }, isTold)
  }

  /** Result of the agent; throws for a failure. */
  answer(): Promise<Result> {
    return this.#life.race(this.#answer)
  }

  /**
   * Returns the stream once its first item or its end has arrived, because an error status can be sent only until then.
   * Resolves before the result if the agent sends first.
   */
  async stream(): Promise<{ note: unknown; items: AsyncIterable<Item> }> {
    const { note, items } = await this.#life.race(this.#arrival)
    const iterator = (items as AsyncIterable<Item>)[Symbol.asyncIterator]()
    try {
      const first = await this.#life.race(iterator.next())
      return { note, items: this.#paced(iterator, first) }
    } catch (error) {
      throw this.#fail(error, brokenOff)
    }
  }

  /** Ends the exchange early. */
  end(reason: AppError): void {
    this.#life.end(reason)
  }

  /** Calls `cut` at the end of the exchange, even without a reader. */
  onEnd(cut: () => void): void {
    this.#life.signal.addEventListener('abort', cut)
  }

  /**
   * Yields the items. Ends when the client stops reading for too long, because a blocked stream blocks the whole agent
   * connection.
   */
  async *#paced(iterator: AsyncIterator<Item>, first: IteratorResult<Item>): AsyncIterable<Item> {
    try {
      for (let next = first; !next.done; next = await iterator.next()) {
        await this.#life.pass()
        const cancel = this.#app.clock.after(patienceMs, () => this.#life.end(timedOut()))
        try {
          if (next.value instanceof Uint8Array) {
            this.#life.bytesFromDevice += next.value.length
          }
          yield next.value
        } finally {
          cancel()
        }
      }
      this.#life.isDone = true
    } catch (error) {
      throw this.#fail(error, brokenOff)
    } finally {
      await iterator.return?.()
    }
  }

  /** Restarts the time limit for the agent's next message. */
  #waitFor(ms: number, detail?: string): void {
    this.#stopWaiting()
    if (!this.#life.signal.aborted) {
      this.#stopWaiting = this.#app.clock.after(ms, () => this.#life.end(timedOut(detail)))
    }
  }

  #fail(error: unknown, detail?: string): AppError {
    const { signal } = this.#life
    const reason = signal.aborted ? (signal.reason as AppError) : explainFailure(this.#app, this.#agent, error, detail)
    this.#life.end(reason)
    return reason
  }
}
