import type { Cancel, Clock } from '../../ground/clock.ts'
import { freeChunk } from './chunk-blocks.ts'
import { SpoolFile, type SpoolRoom } from './spool-file.ts'

/** Items buffered in memory before the file is used: few of any size, more of a typical file piece. */
const itemsInMemory = 2
const piecesInMemory = 56
const mostOfPiece = 32 * 1024
/** Bytes that a reader gets at once: a block costs as many promises and system calls as a piece. */
const blockBytes = 256 * 1024
/**
 * Maximum wait of bytes for the reader before the file is used: the file costs more time than all else, and most readers
 * are slower only for a moment. Also the longest delay of other messages of the connection.
 */
const fileAfterMs = 10
/** Maximum wait of an item for room. */
const maxWaitMs = 5_000

const maxInMemory = (item: unknown) =>
  item instanceof Uint8Array && item.length <= mostOfPiece ? piecesInMemory : itemsInMemory

/** Removes the oldest piece of a queue, joined with the next pieces to a block of at most `blockBytes`. */
function takeBlock(pieces: Uint8Array[]): Uint8Array {
  let bytes = pieces[0]!.length
  let count = 1
  while (count < pieces.length && bytes + pieces[count]!.length <= blockBytes) {
    bytes += pieces[count++]!.length
  }
  const taken = pieces.splice(0, count)
  if (count === 1) {
    return taken[0]!
  }
  // Without the pool of small buffers, so that the block can be freed.
  const block = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  for (const piece of taken) {
    block.set(piece, at)
    at += piece.length
    freeChunk(piece)
  }
  return block
}

/** Encoding of items in the spool file. */
export interface ItemCodec {
  /** The bytes of an item that is not used again. */
  encode(item: unknown): Uint8Array
  decode(bytes: Buffer): unknown
  /** True if waiting items may be joined to larger items. */
  isJoined: boolean
}

export const jsonItems: ItemCodec = {
  encode: (item) => Buffer.from(JSON.stringify(item)),
  decode: (bytes) => JSON.parse(bytes.toString()),
  isJoined: false,
}

export const byteItems: ItemCodec = {
  encode: (item) => item as Uint8Array,
  decode: (bytes) => bytes,
  isJoined: true,
}

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
  /** Bytes in memory, if items are joined. */
  #bytesInMemory = 0
  #isNotifying = false
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
    const { codec, clock } = this.#deps
    // Bytes limit the file, so pieces without bytes would fill it without end (T20).
    if (codec.isJoined && (item as Uint8Array).length === 0) {
      return
    }
    let isOverdue = false
    let usesFile = !codec.isJoined || this.#inFile.count > 0
    const cancels: Cancel[] = []
    const waitFor = (ms: number, elapsed: () => void) =>
      cancels.push(
        clock.after(ms, () => {
          elapsed()
          this.#notify()
        }),
      )
    for (let isWaiting = false; !this.#isClosed; isWaiting = true) {
      const { promise: changed } = this.#changed
      if (await this.#hasPlaced(item, usesFile)) {
        break
      }
      if (isOverdue) {
        throw new Error('The reader was too slow.')
      }
      if (!isWaiting) {
        waitFor(maxWaitMs, () => (isOverdue = true))
        if (!usesFile) {
          waitFor(fileAfterMs, () => (usesFile = true))
        }
      }
      await changed
    }
    cancels.forEach((cancel) => cancel())
  }

  async #hasPlaced(item: unknown, usesFile: boolean): Promise<boolean> {
    const { codec } = this.#deps
    if (this.#inFile.count === 0 && this.#inMemory.length < maxInMemory(item)) {
      this.#inMemory.push(item)
      this.#bytesInMemory += codec.isJoined ? (item as Uint8Array).length : 0
    } else if (!usesFile || !(await this.#inFile.put(codec.encode(item)))) {
      return false
    }
    this.#notifyOfItem()
    return true
  }

  /** Removes the oldest item, or the oldest items joined to a block. */
  #takeFromMemory(): unknown {
    if (!this.#deps.codec.isJoined) {
      return this.#inMemory.shift()
    }
    const block = takeBlock(this.#inMemory as Uint8Array[])
    this.#bytesInMemory -= block.length
    return block
  }

  async #next(): Promise<IteratorResult<unknown>> {
    for (;;) {
      const { promise: changed } = this.#changed
      if (this.#error) {
        throw this.#error
      }
      if (this.#inMemory.length > 0) {
        const value = this.#takeFromMemory()
        this.#notify()
        return { done: false, value }
      }
      const bytes =
        this.#inFile.count > 0 ? await this.#inFile.take(this.#deps.codec.isJoined ? blockBytes : 0) : undefined
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
    this.#bytesInMemory = 0
    this.#notify()
    void this.#source.return?.()
    await this.#inFile.close()
  }

  /** Wakes the reader, after all that arrived in this event-loop iteration if items are joined. */
  #notifyOfItem(): void {
    if (!this.#deps.codec.isJoined || this.#bytesInMemory >= blockBytes) {
      this.#notify()
    } else if (!this.#isNotifying) {
      this.#isNotifying = true
      setImmediate(() => {
        this.#isNotifying = false
        this.#notify()
      })
    }
  }

  #notify(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}
