/**
 * Hub for tests, on a real HTTP server. Also runs alone, for manual tests with any client: `node
 * test/support/test-hub.ts --port 5000`
 */

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { answerHelp, readOptions } from '../../tools/help.mjs'
import { systemClock, type Clock } from '../../server/ground/clock.ts'
import type { Log } from '../../server/ground/log.ts'
import {
  createHubServer,
  HubException,
  type Caller,
  type Hub,
  type HubCall,
  type HubEndpoint,
  type HubOptions,
  type HubServer,
} from '../../server/engines/signalr/index.ts'

type Invoke = (call: HubCall, ...args: never[]) => unknown

interface TestMethod {
  args?: number
  streams?: boolean
  uploads?: number
  isAllowed?: HubMethodRights
  invoke: Invoke
}
type HubMethodRights = (call: HubCall) => boolean | Promise<boolean>

/** Test-side view of a hub. */
export interface TestHub extends Hub {
  readonly events: string[]
  /** Completes a pending call of `Wait`. */
  release(value: unknown): void
  /** Pending calls of `Wait`. */
  readonly waiting: number
  onConnected: NonNullable<Hub['onConnected']>
  onDisconnected: NonNullable<Hub['onDisconnected']>
}

export type TestHubServer = Pick<HubServer, 'clients' | 'groups'>

/** Creates a hub whose methods join groups of `server` and send to its clients. */
export function createTestHub({ clients, groups }: TestHubServer): TestHub {
  const events: string[] = []
  const waiting: ((value: unknown) => void)[] = []

  const methods: Record<string, TestMethod> = {
    Echo: { args: 1, invoke: (_, value) => value },
    EchoLater: { args: 1, invoke: async (_, value) => value },
    Void: { invoke: () => undefined },
    Note: { args: 1, invoke: (_, text) => void events.push(`note ${text}`) },
    Fail: { args: 1, invoke: (_, text) => Promise.reject(new HubException(text)) },
    Crash: { args: 1, invoke: (_, text) => Promise.reject(new TypeError(text)) },
    Wait: { invoke: () => new Promise((resolve) => waiting.push(resolve)) },
    Forbidden: { isAllowed: () => false, invoke: () => 'never' },
    ForbiddenLater: { isAllowed: async () => false, invoke: () => 'never' },
    WhoAmI: { invoke: ({ connection }) => [connection.id, connection.transport, connection.protocol] },
    User: { invoke: ({ connection }) => connection.caller.userId },

    CountTo: { args: 1, streams: true, invoke: (_, end: number) => count(end) },
    CountForever: { streams: true, invoke: (call) => countUntil(call.signal, () => events.push('count cancelled')) },
    CleanUp: { streams: true, invoke: () => cleanUp(() => events.push('cleaned up')) },
    Silence: { streams: true, invoke: () => silence(() => events.push('silence returned')) },
    FailAfter: { args: 1, streams: true, invoke: (_, end: number) => count(end, new HubException('enough')) },
    CrashAfter: { args: 1, streams: true, invoke: (_, end: number) => count(end, new TypeError('too much')) },
    FailBeforeStream: { streams: true, invoke: () => Promise.reject(new HubException('no stream today')) },
    NoStream: { streams: true, invoke: () => undefined },

    Sum: { uploads: 1, invoke: ({ uploads: [numbers] }) => sum(numbers) },
    SumFrom: { args: 1, uploads: 1, invoke: ({ uploads: [numbers] }, start: number) => sum(numbers, start) },
    SumTwo: { uploads: 2, invoke: async ({ uploads: [a, b] }) => [await sum(a), await sum(b)] },
    SumBoth: {
      args: 1,
      uploads: 2,
      invoke: async ({ uploads: [a, b] }, start) => (await sum(a, start)) + (await sum(b)),
    },
    IgnoreUpload: { uploads: 1, invoke: () => new Promise((resolve) => waiting.push(resolve)) },
    Double: { uploads: 1, streams: true, invoke: ({ uploads: [numbers] }) => double(numbers) },

    AskMe: { args: 2, invoke: (call, target, value) => call.invokeClient(call.connection.id, target, [value]) },
    Ask: { args: 3, invoke: (call, id, target, value) => call.invokeClient(id, target, [value]) },
    Join: { args: 1, invoke: ({ connection }, group) => groups.add(connection.id, group) },
    Leave: { args: 1, invoke: ({ connection }, group) => groups.remove(connection.id, group) },
    ToGroup: { args: 2, invoke: (_, group, text) => clients.group(group).send('Heard', [text]) },
    ToOthers: {
      args: 1,
      invoke: ({ connection }, text) => clients.allExcept([connection.id]).send('Heard', [text]),
    },
    ToAll: { args: 1, invoke: (_, text) => clients.all.send('Heard', [text]) },
    Abort: { invoke: ({ connection }) => connection.abort() },
    AbortAndReconnect: { invoke: ({ connection }) => connection.abort({ allowReconnect: true }) },
  }

  const byName = new Map(
    Object.entries(methods).map(([name, method]) => [name.toLowerCase(), toHubMethod(name, method)]),
  )
  const hub: TestHub = {
    events,
    get waiting() {
      return waiting.length
    },
    release: (value) => waiting.shift()?.(value),
    find: (target) => byName.get(target.toLowerCase()),
    onConnected: () => void events.push('connected'),
    onDisconnected: (_, error) => void events.push(error ? `disconnected: ${error.message}` : 'disconnected'),
    parseResult(target, result) {
      if (target === 'GiveNumber' && typeof result !== 'number') {
        throw new Error('Expected a number.')
      }
      return result
    },
  }
  return hub
}

function toHubMethod(name: string, { args = 0, streams = false, uploads = 0, isAllowed, invoke }: TestMethod) {
  return {
    name,
    streams,
    uploads,
    parse(given: readonly unknown[]) {
      if (given.length !== args) {
        throw new Error(`Invocation provides ${given.length} argument(s) but target expects ${args}.`)
      }
      return given
    },
    parseItem(_index: number, item: unknown) {
      if (typeof item === 'string') {
        throw new Error('Expected a number.')
      }
      return item
    },
    authorize: isAllowed ?? (() => true),
    invoke: (call: HubCall) => invoke(call, ...(call.args as never[])),
  }
}

async function* count(end: number, error?: Error) {
  for (let i = 0; i < end; i++) {
    yield i
  }
  if (error) {
    throw error
  }
}

async function* countUntil(signal: AbortSignal, onEnd: () => void) {
  try {
    for (let i = 0; !signal.aborted; i++) {
      yield i
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    onEnd()
  }
}

/** Stream that ends only when cancelled. */
async function* cleanUp(onEnd: () => void) {
  try {
    for (let i = 0; ; i++) {
      yield i
    }
  } finally {
    onEnd()
  }
}

/** Stream that never yields and ignores its cancellation. */
function silence(onReturn: () => void): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        onReturn()
        return { done: true, value: undefined }
      },
    }),
  }
}

async function sum(numbers: AsyncIterable<unknown> | undefined, start = 0) {
  let total = start
  for await (const number of numbers ?? []) {
    total += Number(number)
  }
  return total
}

async function* double(numbers: AsyncIterable<unknown> | undefined) {
  for await (const number of numbers ?? []) {
    yield 2 * Number(number)
  }
}

export interface RunningTestHub {
  readonly url: string
  readonly port: number
  readonly hub: TestHub
  readonly server: HubServer
  readonly endpoint: HubEndpoint
  readonly http: Server
  /** Bytes that the server has read from open connections. */
  readonly bytesRead: number
  stop(): Promise<void>
}

export interface TestHubSettings {
  port?: number
  options?: Partial<HubOptions>
  clock?: Clock
  log?: Log
}

/** Starts the test hub at `/hub` of its own server. The query parameter `user` identifies the caller. */
export async function startTestHub(settings: TestHubSettings = {}): Promise<RunningTestHub> {
  const { port = 0, options, clock = systemClock, log = silentLog } = settings
  const server = createHubServer({ options, clock, log })
  const hub = createTestHub(server)
  const endpoint = server.serve(hub)
  const sockets = new Set<Socket>()
  const http = createServer((request, response) => {
    if (isForHub(request)) {
      endpoint.handleRequest(request, response, callerOf(request))
    } else {
      response.writeHead(404).end()
    }
  })
  http.on('upgrade', (request, socket, head) => {
    if (isForHub(request)) {
      endpoint.handleUpgrade(request, socket, head, callerOf(request))
    } else {
      socket.destroy()
    }
  })
  http.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const bound = (http.address() as AddressInfo).port
  return {
    url: `http://127.0.0.1:${bound}/hub`,
    port: bound,
    hub,
    server,
    endpoint,
    http,
    get bytesRead() {
      return [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    },
    async stop() {
      await server.close()
      for (const socket of sockets) {
        socket.destroy()
      }
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

const isForHub = (request: IncomingMessage) => /^\/hub(\/negotiate)?\/?(\?|$)/i.test(request.url ?? '')

function callerOf(request: IncomingMessage): Caller {
  const userId = new URL(request.url ?? '', 'http://x').searchParams.get('user') ?? undefined
  return { principal: userId, userId, remoteAddress: request.socket.remoteAddress ?? '' }
}

/** Log that discards all lines. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
}

/** Log that collects errors and warnings, for tests to claim; with `infos`, infos too. */
export function collectingLog({ infos = false } = {}): Log & { readonly lines: string[] } {
  const lines: string[] = []
  const keep = (fields: object, message: string) => {
    const { err } = fields as { err?: Error }
    lines.push(err ? `${message} ${err.message}` : message)
  }
  const log = { lines, debug() {}, info: infos ? keep : () => {}, warn: keep, error: keep, child: () => log }
  return log
}

if (process.argv[1] === import.meta.filename) {
  answerHelp('npm run test-hub [-- --port N]\n\nThe hub engine with methods made for tests; prints its address.')
  const { values } = readOptions({ options: { port: { type: 'string', default: '0' } } })
  const { url } = await startTestHub({ port: Number(values.port) })
  // The listening server keeps the process alive; the engine's timers do not.
  process.stdout.write(`${url}\n`)
}
