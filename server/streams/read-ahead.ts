import type { Clock } from '../clock.ts'
import { SpoolFile, type SpoolRoom } from './spool-file.ts'

/** Items buffered in memory before the file is used: few of any size, more of a typical file piece. */
const itemsInMemory = 2
const piecesInMemory = 60
const mostOfPiece = 32 * 1024
/** Maximum wait of an item for room. */
const maxWaitMs = 5_000

const maxInMemory = (item: unknown) =>
  item instanceof Uint8Array && item.length <= mostOfPiece ? piecesInMemory : itemsInMemory

/** Encoding of items in the spool file. */
export interface ItemCodec {
  /** The bytes of an item that is not used again. */
  encode(item: unknown): Uint8Array
  decode(bytes: Buffer): unknown
}

export const jsonItems: ItemCodec = {
  encode: (item) => Buffer.from(JSON.stringify(item)),
  decode: (bytes) => JSON.parse(bytes.toString()),
}

export const byteItems: ItemCodec = { encode: (item) => item as Uint8Array, decode: (bytes) => bytes }

interface Dependencies {
  clock: Clock
  room: SpoolRoom
  codec: ItemCodec
  /** Called when the stream has failed; its reader gets the error at the next read. */
  onFailed(): void
}

/**
 * Buffers the items of a stream for a slow reader: a few in memory, more in a spool file. So a slow reader does not
 * block the connection, which carries all other traffic of the device. When the file is full, an item waits for a
 * while; then the stream fails.
 */
export class ReadAhead implements AsyncIterable<unknown> {
  readonly #source: AsyncIterator<unknown>
  readonly #deps: Dependencies
  readonly #inMemory: unknown[] = []
  /** Newer items than those in memory. */
  readonly #inFile: SpoolFile
  /** The source has ended. */
  #isComplete = false
  #isClosed = false
  #error: Error | undefined
  /** Resolves when an item arrives or leaves. */
  #changed = Promise.withResolvers<void>()

  constructor(items: AsyncIterable<unknown>, deps: Dependencies) {
    this.#source = items[Symbol.asyncIterator]()
    this.#deps = deps
    this.#inFile = new SpoolFile(deps.room)
    void this.#readAll()
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return {
      next: () => this.#next(),
      return: async () => {
        await this.#close()
        return { done: true, value: undefined }
      },
    }
  }

  async #readAll(): Promise<void> {
    try {
      for (let next = await this.#source.next(); !next.done && !this.#isClosed; next = await this.#source.next()) {
        await this.#buffer(next.value)
      }
      this.#isComplete = true
      this.#notify()
    } catch (error) {
      this.#error = error as Error
      this.#deps.onFailed()
      await this.#close()
    }
  }

  /** Waits for room if the buffers are full. */
  async #buffer(item: unknown): Promise<void> {
    let isOverdue = false
    let cancel = () => {}
    for (let isWaiting = false; !this.#isClosed; isWaiting = true) {
      const { promise: changed } = this.#changed
      if (await this.#hasPlaced(item)) {
        break
      }
      if (isOverdue) {
        throw new Error('The reader was too slow.')
      }
      if (!isWaiting) {
        cancel = this.#deps.clock.after(maxWaitMs, () => {
          isOverdue = true
          this.#notify()
        })
      }
      await changed
    }
    cancel()
  }

  async #hasPlaced(item: unknown): Promise<boolean> {
    if (this.#inFile.count === 0 && this.#inMemory.length < maxInMemory(item)) {
      this.#inMemory.push(item)
    } else if (!(await this.#inFile.put(this.#deps.codec.encode(item)))) {
      return false
    }
    this.#notify()
    return true
  }

  async #next(): Promise<IteratorResult<unknown>> {
    for (;;) {
      const { promise: changed } = this.#changed
      if (this.#error) {
        throw this.#error
      }
      if (this.#inMemory.length > 0) {
        const value = this.#inMemory.shift()
        this.#notify()
        return { done: false, value }
      }
      const bytes = this.#inFile.count > 0 ? await this.#inFile.take() : undefined
      if (bytes !== undefined) {
        this.#notify()
        return { done: false, value: this.#deps.codec.decode(bytes) }
      }
      if (this.#isClosed || (this.#isComplete && this.#inFile.count === 0 && this.#inMemory.length === 0)) {
        await this.#close()
        return { done: true, value: undefined }
      }
      await changed
    }
  }

  /** Drops unread items. */
  async #close(): Promise<void> {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    this.#inMemory.length = 0
    this.#notify()
    void this.#source.return?.()
    await this.#inFile.close()
  }

  #notify(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}
