import type { Clock } from '../clock.ts'
import { SpoolFile, type SpoolRoom } from './spool-file.ts'

/** Items kept in memory before the file is used: few of any size, more of a file's usual pieces. */
const itemsInMemory = 2
const piecesInMemory = 32
const mostOfPiece = 64 * 1024
/** How long an item may wait for the reader once there is no room for it. */
const patienceMs = 5_000

const mostInMemory = (item: unknown) =>
  typeof item === 'string' && item.length <= mostOfPiece ? piecesInMemory : itemsInMemory

interface Dependencies {
  clock: Clock
  room: SpoolRoom
  /** The stream has failed; its reader hears of it only when it reads on. */
  onFailed(): void
}

/**
 * Takes the items of a stream as they come, and keeps what its reader has not read: a few in memory, more in a file. So a
 * slow reader does not hold up the connection that the items come over, on which everything else of a device waits too.
 * When the file is full, an item waits for a while; then the stream fails. Items have to be plain data.
 */
export class ReadAhead implements AsyncIterable<unknown> {
  readonly #source: AsyncIterator<unknown>
  readonly #deps: Dependencies
  readonly #inMemory: unknown[] = []
  /** Items that are newer than all in memory. */
  readonly #inFile: SpoolFile
  /** The source has no more. */
  #isComplete = false
  #isClosed = false
  #error: Error | undefined
  /** For whoever waits for an item, or for room. */
  #changed = Promise.withResolvers<void>()

  constructor(items: AsyncIterable<unknown>, deps: Dependencies) {
    this.#source = items[Symbol.asyncIterator]()
    this.#deps = deps
    this.#inFile = new SpoolFile(deps.room)
    void this.#takeAll()
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

  async #takeAll(): Promise<void> {
    try {
      for (let next = await this.#source.next(); !next.done && !this.#isClosed; next = await this.#source.next()) {
        await this.#keep(next.value)
      }
      this.#isComplete = true
      this.#tell()
    } catch (error) {
      this.#error = error as Error
      this.#deps.onFailed()
      await this.#close()
    }
  }

  /** Waits for room, if there is none. */
  async #keep(item: unknown): Promise<void> {
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
        cancel = this.#deps.clock.after(patienceMs, () => {
          isOverdue = true
          this.#tell()
        })
      }
      await changed
    }
    cancel()
  }

  async #hasPlaced(item: unknown): Promise<boolean> {
    if (this.#inFile.count === 0 && this.#inMemory.length < mostInMemory(item)) {
      this.#inMemory.push(item)
    } else if (!(await this.#inFile.put(JSON.stringify(item)))) {
      return false
    }
    this.#tell()
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
        this.#tell()
        return { done: false, value }
      }
      const text = this.#inFile.count > 0 ? await this.#inFile.take() : undefined
      if (text !== undefined) {
        this.#tell()
        return { done: false, value: JSON.parse(text) }
      }
      if (this.#isClosed || (this.#isComplete && this.#inFile.count === 0 && this.#inMemory.length === 0)) {
        await this.#close()
        return { done: true, value: undefined }
      }
      await changed
    }
  }

  /** Drops what was not read. */
  async #close(): Promise<void> {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    this.#inMemory.length = 0
    this.#tell()
    void this.#source.return?.()
    await this.#inFile.close()
  }

  #tell(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}
