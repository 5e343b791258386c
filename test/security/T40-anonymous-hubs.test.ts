import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { enroll } from '../support/agent.ts'
import { HttpTransportType } from '@microsoft/signalr'
import { manualClock } from '../support/clock.ts'
import { isNight } from '../support/night.ts'
import { ownerForFile, serverForFile, useTestServer, type TestServer } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const handshake = '{"protocol":"json","version":1}\x1e'
const invocation = (argument: string) => `{"type":1,"target":"Nothing","arguments":[${argument}]}\x1e`
const half = `{"${'x'.repeat(60_000)}`

/** Opens an unproved connection to the agent hub and completes the handshake. */
async function openStranger(server: TestServer) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/hubs/agent`)
  onTestFinished(() => socket.terminate())
  socket.on('error', () => {})
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await once(socket, 'open')
  socket.send(handshake)
  await once(socket, 'message')
  return { socket, closed }
}

/** Sends an endless request body over long polling. */
async function openHalfPost(server: TestServer) {
  const negotiated = await fetch(`${server.url}/hubs/agent/negotiate?negotiateVersion=1`, { method: 'POST' })
  const { connectionToken } = (await negotiated.json()) as { connectionToken: string }
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(
    `POST /hubs/agent?id=${connectionToken} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 64000\r\n\r\n${handshake}`,
  )
  return socket
}

describe('a connection to the agent hub that has not proved a device', () => {
  test.each([
    ['a message of more than 64 KiB', [invocation(`"${'x'.repeat(65_536)}"`)]],
    ['a message of 6,000 values', [invocation(`[${'[],'.repeat(6_000)}[]]`)]],
    ['33 messages', Array.from({ length: 33 }, () => invocation(''))],
    ['33 messages in one', [invocation('').repeat(33)]],
    ['33 pings', Array.from({ length: 33 }, () => '{"type":6}\x1e')],
  ])('is closed after %s', async (_, messages) => {
    const { socket, closed } = await openStranger(server)
    messages.forEach((message) => socket.send(message))
    await within(10_000, closed)
  })

  test('may send 32 messages of up to 64 KiB', async () => {
    const { socket } = await openStranger(server)
    const largest = invocation(`"${'x'.repeat(65_536 - invocation('""').length)}"`)
    for (let count = 0; count < 31; count++) {
      socket.send(largest)
    }
    socket.send('{"type":1,"invocationId":"last","target":"Nothing","arguments":[]}\x1e')
    const [answer] = (await once(socket, 'message')) as [Buffer]
    expect(answer.toString()).toContain('"invocationId":"last"')
  })

  test.each(['WebSockets', 'LongPolling'] as const)('keeps its limits only until the proof, over %s', async (name) => {
    const agent = await enroll(owner)
    const options = { transport: HttpTransportType[name], skipNegotiation: name === 'WebSockets' }
    const { connection, UpdateDeviceSigned } = await agent.open(server.url, {}, options)
    const update = async () => (await UpdateDeviceSigned(agent.signed(agent.report()))).isSuccess
    expect(await update()).toBe(true)
    for (let count = 0; count < 40; count++) {
      await connection.send('Nothing', 'x'.repeat(100_000))
    }
    expect(await update()).toBe(true)
  })
})

test('half-sent messages of an address hold 8 MiB at most: the oldest are dropped, and an agent is served', async () => {
  const server = await useTestServer()
  const agent = await enroll(await server.owner())
  let dropped = 0
  const posts = await Promise.all(Array.from({ length: 100 }, () => openHalfPost(server)))
  for (const socket of posts) {
    socket.once('close', () => dropped++)
    socket.write(half)
  }
  const strangers = await Promise.all(Array.from({ length: 200 }, () => openStranger(server)))
  for (const { socket } of strangers) {
    socket.once('close', () => dropped++)
    socket.send(half)
  }
  const most = Math.floor((8 * 1024 * 1024) / half.length)
  await until(() => dropped >= posts.length + strangers.length - most)
  await agent.connect(server.url)
  expect(strangers.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length).toBeGreaterThan(0)
})

test('a second body of a connection is refused while the first is not whole', async () => {
  const negotiated = await fetch(`${server.url}/hubs/agent/negotiate?negotiateVersion=1`, { method: 'POST' })
  const { connectionToken } = (await negotiated.json()) as { connectionToken: string }
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.write(`POST /hubs/agent?id=${connectionToken} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 99\r\n\r\n{`)
  const reason = await until(async () => {
    const answer = await fetch(`${server.url}/hubs/agent?id=${connectionToken}`, { method: 'POST', body: handshake })
    return answer.status === 409 && (await answer.text())
  })
  expect(reason).toBe('Send one message at a time.')
})

/** Opens a WebSocket to the agent hub by hand, for frames that no library sends. */
async function openRaw(server: TestServer) {
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(
    `GET /hubs/agent HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

const repeated = (count: number, bytes: readonly number[]) => Buffer.alloc(count * bytes.length, Buffer.from(bytes))

/** Frames without payload that WebSocket servers must answer. */
const ping = [0x89, 0x80, 0, 0, 0, 0]
const pingCount = 300_000
const pongBytes = 2

test('an agent is served between the frames that a stranger sends in one go', { timeout: 60_000 }, async () => {
  const agent = await enroll(owner)
  const { UpdateDeviceSigned } = await agent.open(server.url)
  const stranger = await openRaw(server)
  let bytes = 0
  stranger.on('data', (chunk: Buffer) => (bytes += chunk.length))
  stranger.write(repeated(pingCount, ping))
  await until(() => bytes > 0)
  expect((await UpdateDeviceSigned(agent.signed(agent.report()))).isSuccess).toBe(true)
  expect(bytes / pongBytes).toBeLessThan(pingCount)
})

/** Number of frames of a stranger that one turn of the event loop may read. */
const framesPerTurn = 32
const fragmentCount = 10_000

const x = 'x'.charCodeAt(0)
test.each([
  ['empty fragments', [0x00, 0x80, 0, 0, 0, 0]],
  ['fragments of 1 byte', [0x00, 0x81, 0, 0, 0, 0, x]],
])('a chunk of %s is read in many turns of the event loop', async (_, fragment) => {
  const stranger = await openRaw(server)
  const first = Buffer.from([0x01, 0x81, 0, 0, 0, 0, x])
  // The last frame violates the protocol, after which the server closes the connection.
  const violation = Buffer.from([0x8f, 0x80, 0, 0, 0, 0])
  let isOver = false
  stranger.once('close', () => (isOver = true))
  stranger.write(Buffer.concat([first, repeated(fragmentCount, fragment), violation]))
  let turns = 0
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  expect(turns).toBeGreaterThan(fragmentCount / framesPerTurn)
})

test('a stranger that sends before it is answered is refused', async () => {
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(
    `GET /hubs/agent HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n${handshake}`,
  )
  await within(10_000, once(socket, 'close'))
})

/** Size of simultaneous first reports, above the share of their address. */
const honest = 1_200
const reportBytes = 8_000

test.runIf(isNight)('whole messages of thousands behind one address are answered beside half-sent ones', async () => {
  // A busy machine may need longer to open them all than the half minute that each has for its proof.
  const server = await useTestServer({ clock: manualClock() })
  const strangers = await Promise.all(Array.from({ length: 150 }, () => openStranger(server)))
  strangers.forEach(({ socket }) => socket.send(half))
  const agents: Awaited<ReturnType<typeof openStranger>>[] = []
  while (agents.length < honest) {
    agents.push(...(await Promise.all(Array.from({ length: 100 }, () => openStranger(server)))))
  }
  let answered = 0
  let lost = 0
  const report = `{"type":1,"invocationId":"first","target":"Nothing","arguments":["${'x'.repeat(reportBytes)}"]}\x1e`
  for (const { socket } of agents) {
    socket.once('message', () => answered++)
    socket.once('close', () => lost++)
    socket.send(report)
  }
  await until(() => answered + lost >= honest)
  expect([answered, lost]).toEqual([honest, 0])
})
