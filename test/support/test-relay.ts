import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock, type Clock } from '../../server/ground/clock.ts'
import {
  Relay,
  tokenHashOf,
  type Announcement,
  type RelayEnd,
  type RelayOptions,
  type RelaySession,
} from '../../server/engines/relay/relay.ts'
import { createTestLog, type TestLog } from './log.ts'
import { until } from './until.ts'

export interface TestRelaySettings {
  options?: Partial<RelayOptions>
  clock?: Clock
}

/** Address parameters of a peer; by default a requester of an unknown session. */
export interface Named {
  sessionId?: string | undefined
  accessToken?: string | undefined
  role?: string | undefined
  timeout?: string | number | undefined
}

interface Calling {
  /** Identity of the caller; the requesters of `announce` are `viewer`. */
  identity?: string | undefined
  /** Address used for limits. */
  from?: string | undefined
  path?: string
  protocols?: string[]
}

interface Handwritten {
  method?: string
  headers?: Readonly<Record<string, string>>
}

export interface Refused {
  status: number
  body: string
}

/** Announced session, with the events of its announcer. */
export interface Announced {
  readonly session: RelaySession
  readonly sessionId: string
  readonly accessToken: string
  readonly starts: number[]
  readonly ends: RelayEnd[]
}

/** Relay at `/relay` of its own server. The query parameters `identity` and `from` identify the caller. */
export class TestRelay {
  readonly relay: Relay
  readonly log: TestLog
  readonly port: number
  /** Server-side sockets of all connections. */
  readonly #sockets: ReadonlySet<Socket>

  constructor(relay: Relay, log: TestLog, port: number, sockets: ReadonlySet<Socket>) {
    this.relay = relay
    this.log = log
    this.port = port
    this.#sockets = sockets
  }

  /** Bytes buffered by the sockets: read but not used, or written but not accepted by the system. */
  get heldBytes(): number {
    return [...this.#sockets].reduce(
      (sum, { readableLength, writableLength }) => sum + readableLength + writableLength,
      0,
    )
  }

  announce(parts: Partial<Announcement> & { accessToken?: string } = {}): Announced {
    const { accessToken = randomBytes(64).toString('base64url'), sessionId = randomUUID(), ...rest } = parts
    const starts: number[] = []
    const ends: RelayEnd[] = []
    const session = this.relay.announce({
      sessionId,
      tokenHash: tokenHashOf(accessToken),
      requester: 'viewer',
      account: 'account of the viewer',
      waitMs: 60_000,
      onStart: () => void starts.push(1),
      onEnd: (end) => void ends.push(end),
      ...rest,
    })
    return { session, sessionId, accessToken, starts, ends }
  }

  addressOf(named: Named, { identity, from, path = '/relay' }: Calling = {}): string {
    const given = Object.entries({ ...named, identity, from }).filter(([, value]) => value !== undefined)
    return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
  }

  /** Connects a peer; `opened` settles with the response. */
  connect(named: Named, calling: Calling = {}): Peer {
    const { protocols = [] } = calling
    return new Peer(new WebSocket(`ws://127.0.0.1:${this.port}${this.addressOf(named, calling)}`, protocols))
  }

  requester({ sessionId, accessToken }: Announced, more: Named = {}, calling: Calling = {}): Peer {
    return this.connect({ sessionId, accessToken, role: 'requester', ...more }, { identity: 'viewer', ...calling })
  }

  responder({ sessionId, accessToken }: Announced, more: Named = {}, calling: Calling = {}): Peer {
    return this.connect({ sessionId, accessToken, role: 'responder', ...more }, calling)
  }

  /** Connects both peers of a session. */
  async join(announced: Announced = this.announce()): Promise<Announced & { requester: Peer; responder: Peer }> {
    const requester = this.requester(announced)
    await this.waits(1)
    const responder = this.responder(announced)
    await Promise.all([requester.opened, responder.opened])
    return { ...announced, requester, responder }
  }

  /** Session with a plain socket as one peer, which answers nothing by itself. */
  async joinRaw(role: 'requester' | 'responder' = 'responder') {
    const announced = this.announce()
    const { sessionId, accessToken } = announced
    const other = role === 'responder' ? this.requester(announced) : this.responder(announced)
    await this.waits(1)
    const socket = await this.raw(this.addressOf({ sessionId, accessToken, role }, { identity: 'viewer' }))
    await other.opened
    const [answer] = (await once(socket, 'data')) as [Buffer]
    if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) {
      throw new Error(`Not joined: ${answer.toString('latin1')}`)
    }
    return { ...announced, other, socket }
  }

  /** Waits until the given number of peers wait for their partners. */
  async waits(peers: number): Promise<void> {
    await until(() => this.relay.sizes.waiting === peers)
  }

  /** Sends an upgrade on a plain socket; empty headers are omitted. */
  async raw(address: string, { method = 'GET', headers = {} }: Handwritten = {}): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    const all = {
      Host: 'relay',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      ...headers,
    }
    const lines = Object.entries(all).filter(([, value]) => value !== '')
    socket.write(
      `${method} ${address} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    return socket
  }
}

/** WebSocket client with its received messages. */
export class Peer {
  readonly webSocket: WebSocket
  readonly messages: { data: Buffer; isBinary: boolean }[] = []
  /** Resolves with undefined once open, or with the rejection. */
  readonly opened: Promise<Refused | undefined>
  readonly closed: Promise<{ code: number; reason: string }>

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
    onTestFinished(() => webSocket.terminate())
    webSocket.on('message', (data: Buffer, isBinary) => this.messages.push({ data, isBinary }))
    webSocket.on('error', () => {})
    this.closed = new Promise((resolve) =>
      webSocket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    )
    this.opened = new Promise((resolve, reject) => {
      webSocket.on('open', () => resolve(undefined))
      webSocket.on('close', () => reject(new Error('Closed before it was answered.')))
      webSocket.on('unexpected-response', (_request, response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      })
    })
    this.opened.catch(() => {})
  }

  get texts(): string[] {
    return this.messages.map(({ data }) => data.toString())
  }

  async received(count: number): Promise<void> {
    await until(() => this.messages.length >= count)
  }

  async heard(count: number): Promise<string[]> {
    await this.received(count)
    return this.texts
  }
}

/** Starts a relay that is closed with the test. */
export async function useTestRelay({ options, clock = systemClock }: TestRelaySettings = {}): Promise<TestRelay> {
  const log = createTestLog()
  const relay = new Relay({ clock, log, ...(options && { options }) })
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    const query = new URL(`http://relay${request.url}`).searchParams
    const identity = query.get('identity') ?? undefined
    relay.handleUpgrade(request, socket, head, { identity, principal: identity, address: query.get('from') ?? '' })
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    relay.close()
    server.close()
    log.assertQuiet()
  })
  return new TestRelay(relay, log, (server.address() as AddressInfo).port, sockets)
}
