import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineHub, hubMethods } from '../../../shared/contract/hub.ts'

const hub = defineHub({
  path: '/hubs/sample',
  access: 'anonymous',
  methods: {
    Fetch: { summary: 'Fetches.', access: 'anonymous', args: [z.string()], streams: z.number() },
    Send: { summary: 'Sends.', access: 'anonymous', args: [z.string()], upload: z.number() },
    Ask: { summary: 'Sends and is told.', access: 'anonymous', args: [], upload: z.number(), returns: z.boolean() },
  },
  client: {},
})

interface Observer {
  next(item: unknown): void
  error(error: Error): void
  complete(): void
}
interface Subscribable {
  subscribe(observer: Observer): unknown
}

/** A connection of the official client, as far as streams use it; `events` records the traffic. */
function scriptedConnection() {
  const events: unknown[] = []
  const answer = Promise.withResolvers<unknown>()
  const room = { isThere: true, changed: () => {} }
  let observer: Observer | undefined
  const take = (name: string, args: unknown[]) => {
    const stream = args.pop() as Subscribable
    events.push([name, ...args])
    stream.subscribe({
      next: (item) => void events.push(item),
      error: (error) => void events.push(error.message),
      complete: () => void events.push('end'),
    })
  }
  const methods = hubMethods(
    hub,
    {
      invoke: (name, ...args) => {
        take(name, args)
        return answer.promise
      },
      send: async (name, ...args) => take(name, args),
      stream: (name, ...args) => ({
        subscribe(subscribed) {
          events.push([name, ...args])
          observer = subscribed
          return { dispose: () => void events.push('cancelled') }
        },
      }),
    },
    {
      async room() {
        while (!room.isThere) {
          await new Promise<void>((resolve) => (room.changed = resolve))
        }
      },
      hold() {
        events.push('held')
        return () => void events.push('released')
      },
    },
  )
  return { methods, events, answer, room, server: () => observer! }
}

async function* upTo(count: number, made: number[] = []) {
  for (let item = 1; item <= count; item++) {
    made.push(item)
    yield item
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a stream of the server is read item by item to its end', async () => {
  const { methods, events, server } = scriptedConnection()
  const all: number[] = []
  const read = (async () => {
    for await (const item of methods.Fetch('a')) {
      all.push(item)
    }
  })()
  await turn()
  server().next(1)
  server().next(2)
  await turn()
  server().next(3)
  server().complete()
  await read
  expect(all).toEqual([1, 2, 3])
  expect(events).toEqual([['Fetch', 'a']])
})

test('a stream that fails rejects after its items', async () => {
  const { methods, server } = scriptedConnection()
  const items = methods.Fetch('a')[Symbol.asyncIterator]()
  const first = items.next()
  server().next(1)
  server().error(new Error('It broke.'))
  expect(await first).toEqual({ done: false, value: 1 })
  await expect(items.next()).rejects.toThrow('It broke.')
})

test('the connection is paused while many items are buffered, and only then', async () => {
  const { methods, events, server } = scriptedConnection()
  const items = methods.Fetch('a')[Symbol.asyncIterator]()
  const first = items.next()
  for (let item = 0; item < 70; item++) {
    server().next(item)
  }
  await first
  expect(events).toEqual([['Fetch', 'a'], 'held'])
  for (let item = 1; item < 70; item++) {
    expect(await items.next()).toEqual({ done: false, value: item })
  }
  expect(events.at(-1)).toBe('released')
})

test('a reader that stops early cancels the stream', async () => {
  const { methods, events, server } = scriptedConnection()
  const items = methods.Fetch('a')[Symbol.asyncIterator]()
  const first = items.next()
  server().next(1)
  await first
  await items.return?.()
  expect(events.at(-1)).toBe('cancelled')
})

test('items are produced no faster than the connection sends them', async () => {
  const { methods, events, room } = scriptedConnection()
  const made: number[] = []
  room.isThere = false
  const sent = methods.Send('a', upTo(3, made))
  await turn()
  expect([made, events]).toEqual([[1], [['Send', 'a']]])
  room.isThere = true
  room.changed()
  await sent
  expect(events).toEqual([['Send', 'a'], 1, 2, 3, 'end'])
})

test('a source that fails reports its error to the server and the caller', async () => {
  const { methods, events } = scriptedConnection()
  async function* failing() {
    yield 1
    throw new Error('The disk is gone.')
  }
  await expect(methods.Send('a', failing())).rejects.toThrow('The disk is gone.')
  expect(events).toEqual([['Send', 'a'], 1, 'The disk is gone.'])
})

test('a server that answers before the end gets no more items', async () => {
  const { methods, events, answer } = scriptedConnection()
  const made: number[] = []
  async function* slow() {
    for await (const item of upTo(1000, made)) {
      yield item
      await turn()
    }
  }
  const sent = methods.Ask(slow())
  await turn()
  answer.resolve(false)
  await expect(sent).rejects.toThrow('ended the upload early')
  expect(made.length).toBeLessThan(10)
  expect(events.at(-1)).toBe('The server ended the upload early.')
})
