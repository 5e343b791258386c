import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { notFound } from '../errors.ts'
import { ReadAhead } from './read-ahead.ts'
import type { TransferBudget, TransferKeys } from './transfer-budgets.ts'

/** The kind of stream that an agent sends: one that was not requested is refused. */
export type StreamKind = 'file' | 'preview' | 'directory' | 'subdirectories'

/** Bytes on disk for what the reader of one stream has not read yet. */
const maxSpoolBytes = 64 * 1024 * 1024

/** A stream that has arrived. What its reader has not read waits on disk, and then the agent waits (`read-ahead.ts`). */
export interface Arrival {
  /** What came with it. */
  note: unknown
  items: AsyncIterable<unknown>
}

interface Expected {
  connectionId: string
  kind: StreamKind
  take(arrival: Arrival, done: (isWhole: boolean) => void): void
  fail(): void
}

interface Offered {
  connectionId: string
  items: AsyncIterable<Uint8Array>
}

/** The items until they end, `signal` aborts or the reader stops; then, in any case, `done`. */
function guarded(
  items: AsyncIterable<unknown>,
  signal: AbortSignal,
  done: (isWhole: boolean) => void,
): AsyncIterable<unknown> {
  const iterator = items[Symbol.asyncIterator]()
  const stop = () => {
    void iterator.return?.()
    done(false)
  }
  // Also for a reader that never began.
  signal.addEventListener('abort', stop)
  return (async function* read() {
    try {
      for (;;) {
        const next = await iterator.next()
        signal.throwIfAborted()
        if (next.done) {
          done(true)
          return
        }
        yield next.value
      }
    } finally {
      stop()
    }
  })()
}

/**
 * Streams of agents and the requests that wait for them, matched by a random id. An id is good for one stream of one
 * agent connection: what another one sends or asks for under it is as unknown as a made-up id (T15).
 */
export class StreamBridge {
  readonly #clock: Clock
  readonly #directory: string
  readonly #disk: TransferBudget
  readonly #expected = new Map<string, Expected>()
  readonly #offered = new Map<string, Offered>()

  constructor(clock: Clock, directory: string, disk: TransferBudget) {
    this.#clock = clock
    this.#directory = directory
    this.#disk = disk
  }

  /** Streams that nobody has sent or fetched yet. */
  get waiting(): number {
    return this.#expected.size + this.#offered.size
  }

  /**
   * Expects a stream until `signal` aborts; what is not read is counted for `keys`. `arrival` rejects with the reason of the
   * signal, or when the agent is gone.
   */
  expect(
    connectionId: string,
    kind: StreamKind,
    { keys, signal }: { keys: TransferKeys; signal: AbortSignal },
  ): { id: string; arrival: Promise<Arrival> } {
    const id = randomUUID()
    const { promise: arrival, resolve, reject } = Promise.withResolvers<Arrival>()
    const forget = () => this.#expected.delete(id)
    this.#expected.set(id, {
      connectionId,
      kind,
      take: ({ note, items }, done) => {
        forget()
        const room = { directory: this.#directory, maxBytes: maxSpoolBytes, held: this.#disk.open(keys) }
        const ahead = new ReadAhead(items, { clock: this.#clock, room, onFailed: () => done(false) })
        resolve({ note, items: guarded(ahead, signal, done) })
      },
      fail() {
        forget()
        reject(new Error('The agent has left.'))
      },
    })
    signal.addEventListener('abort', () => {
      forget()
      reject(signal.reason as Error)
    })
    return { id, arrival }
  }

  /**
   * Hands a stream to whoever waits for it; resolves when its reader is done. False when it was not read to its end.
   */
  async deliver(
    { id, kind, connectionId }: { id: string; kind: StreamKind; connectionId: string },
    arrival: Arrival,
  ): Promise<boolean> {
    const expected = this.#expected.get(id)
    if (expected?.connectionId !== connectionId || expected.kind !== kind) {
      return false
    }
    const { promise: isWhole, resolve } = Promise.withResolvers<boolean>()
    expected.take(arrival, resolve)
    return await isWhole
  }

  /** Keeps a stream for an agent to fetch, until `signal` aborts. */
  offer(connectionId: string, items: AsyncIterable<Uint8Array>, signal: AbortSignal): string {
    const id = randomUUID()
    this.#offered.set(id, { connectionId, items })
    signal.addEventListener('abort', () => this.#offered.delete(id))
    return id
  }

  /** The stream that was kept for this connection; it can be fetched once. */
  fetch(id: string, connectionId: string): AsyncIterable<Uint8Array> {
    const offered = this.#offered.get(id)
    if (offered?.connectionId !== connectionId) {
      throw notFound('stream')
    }
    this.#offered.delete(id)
    return offered.items
  }

  /** The connection has ended: nothing will come from it any more. */
  drop(connectionId: string): void {
    for (const expected of this.#expected.values()) {
      if (expected.connectionId === connectionId) {
        expected.fail()
      }
    }
  }
}
