import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { isNight } from '../support/night.ts'
import { ownerForFile, serverForFile, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const head = (server: TestServer, line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, `Host: ${new URL(server.url).host}`, ...headers].join('\r\n')}\r\n\r\n`
const chunkedBody = ['Content-Type: application/json', 'Transfer-Encoding: chunked']

/** Opens a connection for requests that no library sends. */
async function openRaw(server: TestServer) {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('error', () => {}).on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')))
  await once(socket, 'connect')
  return { socket, answer: () => answer, answers: () => answer.split('HTTP/1.1 ').length - 1 }
}

/** Largest number of requests and of chunks of bodies that the server parses in one turn of the event loop. */
async function mostPerTurn(isOver: () => boolean): Promise<{ requests: number; chunks: number }> {
  const most = { requests: 0, chunks: 0 }
  let turn = { ...most }
  const started = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    turn.requests++
    const push = request.push.bind(request)
    request.push = (chunk: Buffer | null) => {
      turn.chunks++
      return push(chunk)
    }
  }
  subscribe('http.server.request.start', started)
  while (!isOver()) {
    turn = { requests: 0, chunks: 0 }
    await new Promise((resolve) => setImmediate(resolve))
    most.requests = Math.max(most.requests, turn.requests)
    most.chunks = Math.max(most.chunks, turn.chunks)
  }
  unsubscribe('http.server.request.start', started)
  return most
}

test.runIf(isNight)('pipelined requests are parsed one after the other, and all are answered', async () => {
  const { socket, answers } = await openRaw(server)
  const count = 2_000
  socket.write(head(server, 'GET /alive').repeat(count))
  const most = await mostPerTurn(() => answers() >= count)
  expect(most.requests).toBeLessThanOrEqual(2)
})

/** Chunks of 1 byte in 2 KiB: parsing them takes 2 ms. */
const maxChunksPerTurn = 342

test('a body in chunks of 1 byte is parsed in many turns, and answered', async () => {
  const { socket, answer } = await openRaw(server)
  const body = `${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`
  socket.write(head(server, 'POST /api/agent/devices', ...chunkedBody) + body)
  const most = await mostPerTurn(() => answer() !== '')
  expect(answer()).toMatch(/^HTTP\/1.1 400 /)
  expect(most.chunks).toBeLessThanOrEqual(maxChunksPerTurn)
})

test.each([
  ['64 KiB', 65_536, 16],
  ['10 bytes', 10, 10_000],
])('a known client sends a body in chunks of %s', async (_, bytes, count) => {
  const parts = ['{"pageSize":1', ...Array.from({ length: count }, () => ' '.repeat(bytes)), '}']
  const body = Readable.from(parts.map((part) => Buffer.from(part)))
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body, duplex: 'half' } as unknown as RequestInit
  const answer = await owner.fetch('/api/v1/devices/search', init)
  expect(answer.status).toBe(200)
})

/** Holds a connection with a request that stays open, and sends more requests. */
async function pipelineBehindPoll(server: TestServer, bytes: number) {
  const negotiated = await fetch(`${server.url}/hubs/agent/negotiate?negotiateVersion=1`, { method: 'POST' })
  const { connectionToken } = (await negotiated.json()) as { connectionToken: string }
  const { socket } = await openRaw(server)
  const poll = head(server, `GET /hubs/agent?id=${connectionToken}`)
  const more = head(server, 'GET /alive')
  socket.write(poll + poll + more.repeat(bytes / more.length))
  return socket
}

test('pipelined requests of an address that wait hold 8 MiB at most: the oldest are dropped', async () => {
  const waitingBytes = 50_000
  const sockets = await Promise.all(Array.from({ length: 250 }, () => pipelineBehindPoll(server, waitingBytes)))
  let dropped = 0
  sockets.forEach((socket) => (socket.destroyed ? dropped++ : socket.once('close', () => dropped++)))
  await until(() => dropped >= sockets.length - Math.floor((8 * 1024 * 1024) / waitingBytes))
  expect(dropped).toBeLessThan(sockets.length)
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
})
