import { randomBytes, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { startProcess, type ServerProcess } from '../simulate/server-process.ts'
import { median, percentile, rounded, sleep } from './measure.ts'

const rounds = 5
const secondsOfRound = 2
const roundTripsOfRound = 3000
const sessionsTogether = 50

/** Starts what is measured. Its address serves `/relay` to a pair of sockets that names a new session. */
const starters: Readonly<Record<'product' | 'bare', () => Promise<ServerProcess>>> = {
  product: () => startProcess('scripts/bench/relay-engine.ts'),
  bare: () => startProcess('scripts/bench/bare.ts', ['relay']),
}
type Contender = keyof typeof starters
const contenders = ['product', 'bare'] as const

interface Pair {
  requester: Socket
  responder: Socket
}

/** Sends an upgrade by hand: a websocket library here would cost as much as the relay that is measured. */
function upgrade(url: string, path: string): { socket: Socket; opened: Promise<void> } {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay()
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (data) => {
      const answer = data.toString('latin1')
      // Nothing is sent to it before it sends itself.
      return answer.startsWith('HTTP/1.1 101 ') ? resolve() : reject(new Error(answer.slice(0, 100)))
    })
  })
  return { socket, opened }
}

async function join(url: string): Promise<Pair> {
  const path = `/relay?sessionId=${randomUUID()}&accessToken=${randomBytes(64).toString('base64url')}&timeout=30`
  const requester = upgrade(url, `${path}&role=requester`)
  // The bare relay answers at once, the product when both are there.
  await Promise.race([requester.opened, sleep(20)])
  const responder = upgrade(url, `${path}&role=responder`)
  await Promise.all([requester.opened, responder.opened])
  return { requester: requester.socket, responder: responder.socket }
}

/** A masked binary message, as clients send it. */
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

/** Sixteen frames of 64 KiB, written at once. */
const load = Buffer.concat(Array.from({ length: 16 }, () => frameOf(65_536)))
const small = frameOf(1024)
/** The same message from the server, which masks nothing. */
const smallReceivedBytes = small.length - 4

/** Sends as much as is taken until the deadline. Resolves with the bytes that arrived until then. */
async function flood({ responder, requester }: Pair, seconds: number): Promise<number> {
  let received = 0
  const count = (chunk: Buffer) => (received += chunk.length)
  requester.on('data', count)
  let isOver = false
  const send = () => {
    while (!isOver && responder.write(load)) {
      // Until the system takes no more.
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

async function throughput(server: ServerProcess, sessions: number) {
  const pairs: Pair[] = []
  for (let index = 0; index < sessions; index++) {
    pairs.push(await join(server.url))
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

/** Calls `heard` for each small message that has arrived whole. */
function onSmall(socket: Socket, heard: () => void) {
  let missing = smallReceivedBytes
  socket.on('data', (chunk) => {
    missing -= chunk.length
    if (missing === 0) {
      missing = smallReceivedBytes
      heard()
    }
  })
}

async function roundTrips(server: ServerProcess) {
  const pair = await join(server.url)
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

/** One measurement of both, turn by turn, so that what disturbs the machine disturbs both; medians of the rounds. */
async function compare<Figures extends Record<string, number>>(
  servers: Readonly<Record<Contender, ServerProcess>>,
  once: (server: ServerProcess) => Promise<Figures>,
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

/** Frames through the relay, beside two websockets that are only joined. Both unmask with bufferutil. */
export async function relay() {
  const servers = { product: await starters.product(), bare: await starters.bare() }
  try {
    const stream = await compare(servers, (server) => throughput(server, 1))
    const roundTrip = await compare(servers, roundTrips)
    const together = await compare(servers, (server) => throughput(server, sessionsTogether))
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
