import { randomUUID } from 'node:crypto'
import type { Clock } from '../../ground/clock.ts'
import { notFound } from '../../ground/errors.ts'
import { byteItems, jsonItems, ReadAhead, type ItemCodec } from './read-ahead.ts'
import type { TransferBudget, TransferKeys } from './transfer-budgets.ts'

/** Kinds of streams that agents send; an unrequested stream is rejected. */
export type StreamKind = 'file' | 'preview' | 'directory' | 'subdirectories'

const codecs: Record<StreamKind, ItemCodec> = {
  file: byteItems,
  preview: byteItems,
  directory: jsonItems,
  subdirectories: jsonItems,
}

/** Disk limit for the unread items of one stream. */
const maxSpoolBytes = 64 * 1024 * 1024

/** A received stream. Unread items are spooled to disk, then the agent waits (`read-ahead.ts`). */
export interface Arrival {
  /** Argument sent along with the stream. */
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

/** Yields the items until they end, `signal` aborts or the reader stops; always calls `done` afterwards. */
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
  // Also stops a stream whose reader never started.
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
 * Matches streams of agents and waiting requests by a random id. An id is valid for one stream of one agent connection:
 * for any other connection it is as unknown as a made-up id (T15).
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

  /** Number of streams not sent or fetched yet. */
  get waiting(): number {
    return this.#expected.size + this.#offered.size
  }

  /**
   * Expects a stream until `signal` aborts; unread items count against `keys`. `arrival` rejects with the reason of the
   * signal, or when the agent disconnects.
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
        const ahead = new ReadAhead(items, {
          clock: this.#clock,
          room,
          codec: codecs[kind],
          onFailed: () => done(false),
        })
        resolve({ note, items: guarded(ahead, signal, done) })
      },
      fail() {
        forget()
        reject(new Error('The agent disconnected.'))
      },
    })
    signal.addEventListener('abort', () => {
      forget()
      reject(signal.reason as Error)
    })
    return { id, arrival }
  }

  /**
   * Hands a stream to the waiting request; resolves when its reader is done. False if the stream was not read to its
   * end.
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

  /** Holds a stream for an agent to fetch, until `signal` aborts. */
  offer(connectionId: string, items: AsyncIterable<Uint8Array>, signal: AbortSignal): string {
    const id = randomUUID()
    this.#offered.set(id, { connectionId, items })
    signal.addEventListener('abort', () => this.#offered.delete(id))
    return id
  }

  isOffered(id: string, connectionId: string): boolean {
    return this.#offered.get(id)?.connectionId === connectionId
  }

  /** The stream offered to this connection; it can be fetched once. */
  fetch(id: string, connectionId: string): AsyncIterable<Uint8Array> {
    const offered = this.#offered.get(id)
    if (offered?.connectionId !== connectionId) {
      throw notFound('stream')
    }
    this.#offered.delete(id)
    return offered.items
  }

  /** Fails the expected streams of a closed connection. */
  drop(connectionId: string): void {
    for (const expected of this.#expected.values()) {
      if (expected.connectionId === connectionId) {
        expected.fail()
      }
    }
  }
}
