import { deferred } from '../deferred.ts'
interface Observer {
  next(item: unknown): void
  error(error: Error): void
  complete(): void
}

/** The part of the official client's connection that typed calls need. */
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

/** How fast a connection is; the official client alone sends as fast as items are made, and keeps all that it gets. */
export interface StreamPace {
  /** Resolves when the connection takes another item. Rejects when it is gone. */
  room(): Promise<void>
  /** Stops reading until the returned function is called: what was received waits for its reader. */
  hold(): () => void
}

export const unpaced: StreamPace = { room: () => Promise.resolve(), hold: () => () => {} }

/** Received items that wait for their reader before the connection is held, and below which it reads on. */
const mostWaiting = 64
const fewWaiting = 16

/** Items of the server, as fast as they are read. A reader that stops early cancels the stream. */
export async function* received(connection: Calling, pace: StreamPace, name: string, args: unknown[]) {
  const waiting: unknown[] = []
  let failure: Error | undefined
  let isOver = false
  let changed = deferred<void>()
  let release: (() => void) | undefined
  const tell = () => {
    changed.resolve()
    changed = deferred()
  }
  const end = (error?: Error) => {
    failure = error
    isOver = true
    tell()
  }
  const subscription = connection.stream(name, ...args).subscribe({
    next(item) {
      waiting.push(item)
      if (waiting.length >= mostWaiting) {
        release ??= pace.hold()
      }
      tell()
    },
    error: end,
    complete: () => end(),
  })
  try {
    for (;;) {
      if (waiting.length > 0) {
        yield waiting.shift()
      } else if (failure) {
        throw failure
      } else if (isOver) {
        return
      } else {
        await changed.promise
      }
      if (waiting.length <= fewWaiting) {
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
  /** The method answers, so that the server can end the stream before its end. */
  isAnswered: boolean
}

/** Sends items along with a call, as fast as the connection takes them; resolves when all are sent. */
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
  let isAnswerHere = false
  const answer = (isAnswered ? connection.invoke : connection.send).call(connection, name, ...args, stream)
  const answered = answer.then(() => {
    isAnswerHere = isAnswered
  })
  // Of a stream that failed on this side this side knows more.
  answered.catch(() => {})
  try {
    for await (const item of items) {
      await pace.room()
      if (isAnswerHere) {
        throw new Error('The server has no use for the rest.')
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
