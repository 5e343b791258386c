/** Running calls of one connection. Created with the first invocation: most connections are idle. */
export class InvocationState {
  freeSlots: number
  /** Resumes the reader when a slot is free. A connection has one reader, so at most one call waits. */
  slotFreed: (() => void) | undefined
  readonly unread: UnreadItems
  readonly #slots: number
  // Made when used, because most connections never have a stream.
  #streams: Map<string, ServerStream> | undefined
  #uploads: Map<string, UploadStream> | undefined

  constructor(slots: number, unreadBytes: number) {
    this.#slots = slots
    this.freeSlots = slots
    this.unread = new UnreadItems(unreadBytes)
  }

  /** Whether a call runs, apart from streams. */
  get isBusy(): boolean {
    return this.freeSlots < this.#slots
  }

  /** Server streams by invocation id. */
  get streams(): Map<string, ServerStream> {
    return (this.#streams ??= new Map())
  }

  /** Upload streams by stream id. */
  get uploads(): Map<string, UploadStream> {
    return (this.#uploads ??= new Map())
  }

  releaseSlot(): void {
    this.freeSlots++
    const freed = this.slotFreed
    this.slotFreed = undefined
    freed?.()
  }
}

const itemsPerYield = 64

/** A stream from the server to one client: pulls the next item when the previous item is sent. */
export class ServerStream {
  readonly #abort = new AbortController()
  readonly #onCancelled: () => void
  #iterator: AsyncIterator<unknown> | undefined

  constructor(onCancelled: () => void) {
    this.#onCancelled = onCancelled
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Sends the items of `source` until the source ends or fails, or the stream is cancelled. */
  async pump(source: AsyncIterable<unknown>, send: (item: unknown) => Promise<void> | undefined): Promise<void> {
    const iterator = source[Symbol.asyncIterator]()
    if (this.signal.aborted) {
      // A generator that was never advanced would skip its own `finally`.
      quietly(() => iterator.next())
      return stop(iterator)
    }
    this.#iterator = iterator
    for (let sent = 1; ; sent++) {
      const next = await iterator.next()
      if (this.signal.aborted || next.done) {
        return
      }
      const wait = send(next.value)
      if (wait) {
        await wait
      }
      // A producer that is always ready would block the event loop, including the message that cancels the stream.
      else if (sent % itemsPerYield === 0) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (this.signal.aborted) {
        return
      }
    }
  }

  /** Cancels the producer without waiting: the producer may take long or never react. */
  cancel(): void {
    this.#onCancelled()
    this.#abort.abort()
    if (this.#iterator) {
      stop(this.#iterator)
    }
  }
}

const stop = (iterator: AsyncIterator<unknown>) => quietly(() => iterator.return?.())

/** Ignores errors of a producer that is being stopped: the stream has ended. */
function quietly(run: () => unknown): void {
  try {
    Promise.resolve(run()).catch(() => {})
  } catch {
    // Ignored, as above.
  }
}

/** Counts the bytes of all upload streams of one connection that no method has read, and pauses its reader. */
export class UnreadItems {
  readonly #limit: number
  #bytes = 0
  /** A connection has one reader, so at most one item waits. */
  #waiting: { isFull: () => boolean; room: PromiseWithResolvers<void> } | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds the bytes of an item. A returned promise resolves when stream and connection have room for more. */
  add(bytes: number, isStreamFull: () => boolean): Promise<void> | undefined {
    this.#bytes += bytes
    const isFull = () => this.#bytes > this.#limit || isStreamFull()
    if (!isFull()) {
      return undefined
    }
    this.#waiting = { isFull, room: Promise.withResolvers() }
    return this.#waiting.room.promise
  }

  remove(bytes: number): void {
    this.#bytes -= bytes
    if (this.#waiting?.isFull() === false) {
      this.#waiting.room.resolve()
      this.#waiting = undefined
    }
  }
}

/** A stream from one client to a running method. */
export class UploadStream implements AsyncIterable<unknown> {
  readonly #capacity: number
  readonly #unread: UnreadItems
  readonly #items: { item: unknown; bytes: number }[] = []
  /** Pending read of the method. */
  #reader: PromiseWithResolvers<IteratorResult<unknown>> | undefined
  #isEnded = false
  #error: Error | undefined
  /** Checks and converts an item before it is added. */
  readonly parse: (item: unknown) => unknown

  constructor(capacity: number, unread: UnreadItems, parse: (item: unknown) => unknown) {
    this.#capacity = capacity
    this.#unread = unread
    this.parse = parse
  }

  /** Adds an item from a message of `bytes` bytes. A returned promise resolves when there is room for more. */
  push(item: unknown, bytes: number): Promise<void> | undefined {
    if (this.#isEnded) {
      return undefined
    }
    const reader = this.#takeReader()
    if (reader) {
      reader.resolve({ done: false, value: item })
      return undefined
    }
    this.#items.push({ item, bytes })
    return this.#unread.add(bytes, () => !this.#isEnded && this.#items.length > this.#capacity)
  }

  /** Ends the stream: the method reads the remaining items, then the end or `error`. */
  end(error?: Error): void {
    if (this.#isEnded) {
      return
    }
    this.#isEnded = true
    this.#error = error
    this.#unread.remove(0)
    const reader = this.#takeReader()
    if (error) {
      reader?.reject(this.#takeError() as Error)
    } else {
      reader?.resolve({ done: true, value: undefined })
    }
  }

  /** Stops counting unread items: the method has ended. */
  release(): void {
    this.end()
    this.#items.forEach((unread) => {
      this.#unread.remove(unread.bytes)
      unread.bytes = 0
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return {
      next: () => this.#next(),
      return: () => {
        this.release()
        this.#items.length = 0
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }

  async #next(): Promise<IteratorResult<unknown>> {
    const next = this.#items.shift()
    if (next) {
      this.#unread.remove(next.bytes)
      return { done: false, value: next.item }
    }
    const error = this.#takeError()
    if (error) {
      throw error
    }
    if (this.#isEnded) {
      return { done: true, value: undefined }
    }
    return (this.#reader ??= Promise.withResolvers()).promise
  }

  #takeReader() {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }

  /** An iterator fails once; after that it is done. */
  #takeError() {
    const error = this.#error
    this.#error = undefined
    return error
  }
}
