import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { makeTicket, type RelayTicket } from '../simulate/relay-ticket.ts'
import { startProcess, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { median, percentile, rounded, sleep } from './measure.ts'

const rounds = 5
const secondsOfRound = 2
const roundTripsOfRound = 3000
const sessionsTogether = 50

const contenders = ['product', 'bare'] as const
type Contender = (typeof contenders)[number]

interface Pair {
  requester: Socket
  responder: Socket
}

/** Sends an upgrade over a plain socket: a WebSocket library would cost as much as the measured relay. */
function upgrade(address: string, headers: Record<string, string> = {}): { socket: Socket; opened: Promise<void> } {
  const { hostname, port, host, pathname, search } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay()
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n` +
      `${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
  )
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (data) => {
      const answer = data.toString('latin1')
      // The server sends nothing before the client does.
      return answer.startsWith('HTTP/1.1 101 ') ? resolve() : reject(new Error(answer.slice(0, 100)))
    })
  })
  return { socket, opened }
}

/** Measured relay, and how to join a pair of sockets. */
interface Measured {
  server: ServerProcess
  join(): Promise<Pair>
  stop(): Promise<void>
}

/** Joins a pair of sockets to a new session; `announce` runs before the second socket connects. */
async function joinAt(
  url: string,
  headers: Record<string, string>,
  announce: (ticket: RelayTicket) => Promise<void>,
): Promise<Pair> {
  const ticket = makeTicket(url)
  await announce(ticket)
  const requester = upgrade(ticket.requester, headers)
  const responder = upgrade(ticket.responder)
  await Promise.all([requester.opened, responder.opened])
  return { requester: requester.socket, responder: responder.socket }
}

async function startBare(): Promise<Measured> {
  const server = await startProcess('tools/bench/bare.ts', ['relay'])
  return { server, join: () => joinAt(server.url, {}, async () => {}), stop: () => server.stop() }
}

/** Real server with a device that accepts every session and a viewer that requests sessions. */
async function startProduct(): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), 'farhand-relay-'))
  const server = await startServer(directory)
  const { agents, cookie } = await registerFleet(server.url, 1)
  const [agent] = agents as [SimulatedAgent]
  agent.onSession = () => {}
  await agent.connect(server.url)
  const { connection, viewer } = await connectViewer(server.url, cookie)
  const announce = async ({ sessionId, responder: websocketUri }: RelayTicket) => {
    const request = { sessionId, websocketUri, deviceId: agent.id, targetProcessId: 1 }
    const { isSuccess, reason } = await viewer.RequestRemoteControlSession2(request)
    if (!isSuccess) {
      throw new Error(reason ?? 'The session was refused.')
    }
  }
  return {
    server,
    join: () => joinAt(server.url, { cookie, origin: server.url }, announce),
    async stop() {
      await connection.stop()
      agent.close()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Masked binary message, as sent by clients. */
function frameOf(payloadBytes: number): Buffer {
  const mask = Buffer.from([0x5a, 0x13, 0xc7, 0x2e])
  const header = Buffer.alloc(payloadBytes < 65_536 ? 4 : 10)
  header[0] = 0x82
  if (payloadBytes < 65_536) {
    header[1] = 0x80 | 126
    header.writeUInt16BE(payloadBytes, 2)
  } else {
    header[1] = 0x80 | 127
    header.writeBigUInt64BE(BigInt(payloadBytes), 2)
  }
  const payload = randomBytes(payloadBytes).map((byte, index) => byte ^ (mask[index % 4] as number))
  return Buffer.concat([header, mask, payload])
}

/** Sixteen frames of 64 KiB in a single write. */
const load = Buffer.concat(Array.from({ length: 16 }, () => frameOf(65_536)))
const small = frameOf(1024)
/** Length of the small message from the server, which is unmasked. */
const smallReceivedBytes = small.length - 4

/** Writes with back-pressure until the deadline. Resolves with the number of received bytes. */
async function flood({ responder, requester }: Pair, seconds: number): Promise<number> {
  let received = 0
  const count = (chunk: Buffer) => (received += chunk.length)
  requester.on('data', count)
  let isOver = false
  const send = () => {
    while (!isOver && responder.write(load)) {
      // Writes until back-pressure.
    }
  }
  responder.on('drain', send)
  send()
  await sleep(seconds * 1000)
  isOver = true
  requester.off('data', count)
  return received
}

const closeAll = (pairs: readonly Pair[]) =>
  pairs.forEach((pair) => [pair.requester, pair.responder].forEach((s) => s.destroy()))

async function throughput({ server, join: joinPair }: Measured, sessions: number) {
  const pairs: Pair[] = []
  for (let index = 0; index < sessions; index++) {
    pairs.push(await joinPair())
  }
  const [cpuBefore, ownBefore, started] = [await server.cpuSeconds(), process.cpuUsage(), performance.now()]
  const bytes = await Promise.all(pairs.map((pair) => flood(pair, secondsOfRound)))
  const elapsed = (performance.now() - started) / 1000
  const own = process.cpuUsage(ownBefore)
  const cpu = (await server.cpuSeconds()) - cpuBefore
  closeAll(pairs)
  const total = bytes.reduce((sum, one) => sum + one, 0)
  return {
    mbPerSecond: total / 1e6 / elapsed,
    cpuSecondsPerGb: cpu / (total / 1e9),
    serverCpuShare: cpu / elapsed,
    generatorCpuShare: (own.user + own.system) / 1e6 / elapsed,
    minShare: (Math.min(...bytes) / total) * sessions,
    maxShare: (Math.max(...bytes) / total) * sessions,
    memoryMb: await server.memoryMb(),
  }
}

/** Calls `onMessage` for each complete small message. */
function onSmall(socket: Socket, onMessage: () => void) {
  let missing = smallReceivedBytes
  socket.on('data', (chunk) => {
    missing -= chunk.length
    if (missing === 0) {
      missing = smallReceivedBytes
      onMessage()
    }
  })
}

async function roundTrips({ join: joinPair }: Measured) {
  const pair = await joinPair()
  const samples: number[] = []
  onSmall(pair.responder, () => pair.responder.write(small))
  let arrived = () => {}
  onSmall(pair.requester, () => arrived())
  for (let index = 0; index < roundTripsOfRound; index++) {
    const started = performance.now()
    await new Promise<void>((resolve) => {
      arrived = resolve
      pair.requester.write(small)
    })
    samples.push(performance.now() - started)
  }
  closeAll([pair])
  return { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) }
}

/**
 * Measures both servers alternately, so that disturbances of the machine affect both; returns medians of the rounds.
 */
async function compare<Figures extends Record<string, number>>(
  servers: Readonly<Record<Contender, Measured>>,
  once: (measured: Measured) => Promise<Figures>,
) {
  const results: Record<Contender, Figures[]> = { product: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      results[contender].push(await once(servers[contender]))
    }
  }
  const names = Object.keys(results.product[0] ?? {}) as (keyof Figures)[]
  const figuresOf = (contender: Contender) =>
    Object.fromEntries(
      names.map((name) => [name, rounded(median(results[contender].map((figures) => figures[name] ?? Number.NaN)))]),
    ) as Figures
  return { product: figuresOf('product'), bare: figuresOf('bare') }
}

/** Measures frames through the relay, against two directly joined WebSockets. Both unmask with bufferutil. */
export async function relay() {
  const servers = { product: await startProduct(), bare: await startBare() }
  try {
    const stream = await compare(servers, (measured) => throughput(measured, 1))
    const roundTrip = await compare(servers, roundTrips)
    const together = await compare(servers, (measured) => throughput(measured, sessionsTogether))
    const ratio = (name: keyof typeof stream.product) => rounded(stream.product[name] / stream.bare[name])
    return {
      frameBytes: 65_536,
      stream: {
        ...stream,
        ratioToBare: { mbPerSecond: ratio('mbPerSecond'), cpuSecondsPerGb: ratio('cpuSecondsPerGb') },
      },
      roundTrip1KiB: { ...roundTrip, p99AboveBareMs: rounded(roundTrip.product.p99Ms - roundTrip.bare.p99Ms) },
      sessionsTogether,
      together,
    }
  } finally {
    await Promise.all(contenders.map((contender) => servers[contender].stop()))
  }
}
