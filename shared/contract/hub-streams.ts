import { deferred } from '../deferred.ts'
interface Observer {
  next(item: unknown): void
  error(error: Error): void
  complete(): void
}

/** Methods of the official client's connection that typed calls use. */
export interface Calling {
  invoke(method: string, ...args: unknown[]): Promise<unknown>
  send(method: string, ...args: unknown[]): Promise<void>
  stream(
    method: string,
    ...args: unknown[]
  ): {
    subscribe(observer: Observer): { dispose(): void }
  }
}

/**
 * Back-pressure of a connection; the official client alone sends as fast as items are produced, and buffers all
 * received items.
 */
export interface StreamPace {
  /** Resolves when the connection can send another item. Rejects when the connection is closed. */
  room(): Promise<void>
  /** Pauses reading until the returned function is called. */
  hold(): () => void
}

export const unpaced: StreamPace = { room: () => Promise.resolve(), hold: () => () => {} }

/** Number of buffered items that pauses the connection, and number that resumes it. */
const maxBuffered = 64
const resumeBelow = 16

/**
 * Yields items of a server stream, with back-pressure from the reader. A reader that stops early cancels the stream.
 */
export async function* received(connection: Calling, pace: StreamPace, name: string, args: unknown[]) {
  const buffered: unknown[] = []
  let failure: Error | undefined
  let isOver = false
  let changed = deferred<void>()
  let release: (() => void) | undefined
  const notify = () => {
    changed.resolve()
    changed = deferred()
  }
  const end = (error?: Error) => {
    failure = error
    isOver = true
    notify()
  }
  const subscription = connection.stream(name, ...args).subscribe({
    next(item) {
      buffered.push(item)
      if (buffered.length >= maxBuffered) {
        release ??= pace.hold()
      }
      notify()
    },
    error: end,
    complete: () => end(),
  })
  try {
    for (;;) {
      if (buffered.length > 0) {
        yield buffered.shift()
      } else if (failure) {
        throw failure
      } else if (isOver) {
        return
      } else {
        await changed.promise
      }
      if (buffered.length <= resumeBelow) {
        release?.()
        release = undefined
      }
    }
  } finally {
    release?.()
    if (!isOver) {
      subscription.dispose()
    }
  }
}

export interface Upload {
  name: string
  args: unknown[]
  items: AsyncIterable<unknown>
  /** True for a method with a result: the server can end such a stream early. */
  isAnswered: boolean
}

/** Sends stream items along with a call, with back-pressure from the connection; resolves when all are sent. */
export async function upload(
  connection: Calling,
  pace: StreamPace,
  { name, args, items, isAnswered }: Upload,
): Promise<void> {
  let observer: Observer | undefined
  const stream = {
    subscribe(subscribed: Observer) {
      observer = subscribed
      return { dispose() {} }
    },
  }
  let hasResult = false
  const answer = (isAnswered ? connection.invoke : connection.send).call(connection, name, ...args, stream)
  const answered = answer.then(() => {
    hasResult = isAnswered
  })
  // The local error of a failed stream is more specific than the server's.
  answered.catch(() => {})
  try {
    for await (const item of items) {
      await pace.room()
      if (hasResult) {
        throw new Error('The server ended the upload early.')
      }
      observer?.next(item)
    }
    await pace.room()
    observer?.complete()
  } catch (error) {
    await pace.room()
    observer?.error(error as Error)
    throw error
  }
  await answered
}
