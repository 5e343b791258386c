import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { makeTicket, type RelayTicket } from '../simulate/relay-ticket.ts'
import { withBare, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { percentile, sleep, type Figures, type Round } from './measure.ts'

const roundTripCount = 3000
/** The server closes a connection without any message after 30 s. */
const pingMs = 10_000
const sessionsTogether = 50

interface Pair {
  requester: Socket
  responder: Socket
}

/** A relay, and how to join a pair of sockets there. */
interface Relay {
  server: ServerProcess
  join: () => Promise<Pair>
}

/** Sends an upgrade over a plain socket: a WebSocket library would cost as much as the measured relay. */
async function upgrade(address: string, headers: Record<string, string> = {}): Promise<Socket> {
  const { hostname, port, host, pathname, search } = new URL(address)
  const socket = connect(Number(port), hostname).setNoDelay()
  const lines = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head.join('')}\r\n`)
  // The server sends nothing before the client does.
  const answer = await new Promise<Buffer>((resolve, reject) => socket.once('data', resolve).once('error', reject))
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) {
    throw new Error(answer.toString('latin1').slice(0, 100))
  }
  return socket
}

/** Joins a pair of sockets to a new session; `announce` runs before they connect. */
async function joinAt(
  url: string,
  headers: Record<string, string> = {},
  announce: (ticket: RelayTicket) => Promise<void> = async () => {},
): Promise<Pair> {
  const ticket = makeTicket(url)
  await announce(ticket)
  const [requester, responder] = await Promise.all([upgrade(ticket.requester, headers), upgrade(ticket.responder)])
  return { requester, responder }
}

/** Runs `work` with the real server, a device that accepts every session, and a viewer that requests sessions. */
async function withProduct(work: (relay: Relay) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    const { agents, cookie } = await registerFleet(server.url, 1)
    const [agent] = agents as [SimulatedAgent]
    agent.onSession = () => {}
    await agent.connect(server.url)
    const pings = setInterval(() => agent.ping(), pingMs)
    const { connection, viewer } = await connectViewer(server.url, cookie)
    const announce = async ({ sessionId, responder: websocketUri }: RelayTicket) => {
      const request = { sessionId, websocketUri, deviceId: agent.id, targetProcessId: 1 }
      const { isSuccess, reason } = await viewer.RequestRemoteControlSession2(request)
      if (!isSuccess) {
        throw new Error(reason ?? 'The session was refused.')
      }
    }
    await work({ server, join: () => joinAt(server.url, { cookie, origin: server.url }, announce) })
    await connection.stop()
    clearInterval(pings)
    agent.close()
  })
}

/** Masked binary message, as sent by clients. */
function frameOf(payloadBytes: number): Buffer {
  const mask = Buffer.from([0x5a, 0x13, 0xc7, 0x2e])
  const isLarge = payloadBytes >= 65_536
  const header = Buffer.alloc(isLarge ? 10 : 4)
  header.set([0x82, 0x80 | (isLarge ? 127 : 126)])
  if (isLarge) {
    header.writeBigUInt64BE(BigInt(payloadBytes), 2)
  } else {
    header.writeUInt16BE(payloadBytes, 2)
  }
  const payload = randomBytes(payloadBytes).map((byte, index) => byte ^ mask[index % 4]!)
  return Buffer.concat([header, mask, payload])
}

const megabyteOf = (frameBytes: number) =>
  Buffer.concat(Array.from({ length: 1_048_576 / frameBytes }, () => frameOf(frameBytes)))

/** Writes with back-pressure until the deadline. Resolves with the number of received bytes. */
async function flood({ responder, requester }: Pair, load: Buffer, seconds: number): Promise<number> {
  let received = 0
  let isOver = false
  requester.on('data', (chunk: Buffer) => (received += isOver ? 0 : chunk.length))
  const send = () => {
    while (!isOver && responder.write(load)) {
      // Writes until back-pressure.
    }
  }
  responder.on('drain', send)
  send()
  await sleep(seconds * 1000)
  isOver = true
  return received
}

const throughput = (sessions: number, load: Buffer, seconds: number) => async (relay: Relay) => {
  const pairs: Pair[] = []
  for (let index = 0; index < sessions; index++) {
    pairs.push(await relay.join())
  }
  const [cpuBefore, started] = [await relay.server.cpuSeconds(), performance.now()]
  const bytes = await Promise.all(pairs.map((pair) => flood(pair, load, seconds)))
  const elapsed = (performance.now() - started) / 1000
  const cpu = (await relay.server.cpuSeconds()) - cpuBefore
  pairs.forEach(({ requester, responder }) => [requester, responder].forEach((socket) => socket.destroy()))
  const total = bytes.reduce((sum, one) => sum + one, 0)
  return {
    mbPerSecond: total / 1e6 / elapsed,
    cpuSecondsPerGb: cpu / (total / 1e9),
    leastShare: (Math.min(...bytes) / total) * sessions,
    memoryMb: await relay.server.memoryMb(),
  }
}

const small = frameOf(1024)

/** Calls `onMessage` for each complete small message, which the server sends without the 4 bytes of a mask. */
function onSmall(socket: Socket, onMessage: () => void) {
  let missing = small.length - 4
  socket.on('data', (chunk) => {
    missing -= chunk.length
    if (missing === 0) {
      missing = small.length - 4
      onMessage()
    }
  })
}

async function roundTrips({ join }: Relay): Promise<Figures> {
  const { requester, responder } = await join()
  const samples: number[] = []
  onSmall(responder, () => responder.write(small))
  let arrived = () => {}
  onSmall(requester, () => arrived())
  for (let index = 0; index < roundTripCount; index++) {
    const started = performance.now()
    await new Promise<void>((resolve) => {
      arrived = resolve
      requester.write(small)
    })
    samples.push(performance.now() - started)
  }
  requester.destroy()
  responder.destroy()
  return { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) }
}

export async function relay(round: Round): Promise<void> {
  const seconds = round.number('seconds', 2)
  const works: Record<string, (relay: Relay) => Promise<Figures>> = {
    'relay, 64 KiB': throughput(1, megabyteOf(65_536), seconds),
    'relay, 4 KiB': throughput(1, megabyteOf(4096), seconds),
    'relay, round trip of 1 KiB': roundTrips,
    [`relay, ${sessionsTogether} sessions`]: throughput(sessionsTogether, megabyteOf(65_536), seconds),
  }
  await withProduct((product) =>
    withBare('relay', [], async (server) => {
      const bare = { server, join: () => joinAt(server.url) }
      for (const [name, work] of Object.entries(works).filter(([name]) => round.wants(name))) {
        await round.measure(
          name,
          () => work(product),
          () => work(bare),
          5,
        )
      }
    }),
  )
}
