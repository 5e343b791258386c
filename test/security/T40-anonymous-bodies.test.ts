import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { PacedRequests } from '../../server/engines/http/web/paced-requests.ts'
import { InputBudget } from '../../server/engines/flow/input-budget.ts'
import { enroll } from '../support/agent.ts'
import { isNight } from '../support/night.ts'
import { serverForFile, useTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()

const registration = '/api/agent/devices'
const json = { 'content-type': 'application/json' }

test.each([
  [registration, json],
  ['/api/appliance/v1/session', json],
])('%s takes a body of 64 KiB at most from a peer without a principal', async (path, headers) => {
  const send = async (bytes: number) =>
    (await fetch(server.url + path, { method: 'POST', headers, body: 'x'.repeat(bytes) })).status
  expect([await send(65_536), await send(65_537)]).toEqual([400, 413])
})

test('a packed body is taken from known callers only', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const packed = { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync('{"pageSize":1}') }
  expect((await fetch(server.url + registration, packed)).status).toBe(415)
  expect((await owner.fetch('/api/v1/devices/search', packed)).status).toBe(200)
})

/** Sends the head of a registration and its body except for the end. */
function sendHalf(server: TestServer, isChunked: boolean) {
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const length = isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 65000'
  const body = `{"${'x'.repeat(60_000)}`
  const start = isChunked ? `FFFF\r\n${body}` : body
  socket.write(
    `POST ${registration} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${length}\r\n\r\n${start}`,
  )
  return socket
}

test('half-sent bodies of an address hold 8 MiB at most: the oldest are dropped, and a device is registered', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const sockets = Array.from({ length: 300 }, (_, index) => sendHalf(server, index % 2 === 0))
  let dropped = 0
  sockets.forEach((socket) => socket.once('close', () => dropped++))
  await until(() => dropped >= sockets.length - Math.floor((8 * 1024 * 1024) / 60_000))
  await enroll(owner)
  expect(dropped).toBeLessThan(sockets.length)
})

test('a body of 20 MB is rejected, and no other client of its address is disconnected', async () => {
  const server = await useTestServer()
  const sockets = Array.from({ length: 50 }, () => sendHalf(server, false))
  let dropped = 0
  sockets.forEach((socket) => socket.once('close', () => dropped++))
  const body = 'x'.repeat(20_000_000)
  const answer = await fetch(server.url + registration, { method: 'POST', headers: json, body })
  expect([answer.status, dropped]).toEqual([413, 0])
})

test.each([
  ['announces', 'Content-Length: 65537', ''],
  ['sends', 'Transfer-Encoding: chunked', `10001\r\n${'x'.repeat(65_537)}`],
])('a peer that %s more than 64 KiB is rejected before it ends its body', async (_, length, start) => {
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST ${registration} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${length}\r\n\r\n${start}`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /)
})

/** Server of paced requests, and a client that sends the head and the body of one request. */
async function sendPaced(body: Buffer, answer: (response: ServerResponse) => void = () => {}) {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  new PacedRequests(new InputBudget(), () => '').watch(server)
  await once(server, 'listening')
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  client.on('error', () => {})
  onTestFinished(() => void client.destroy())
  client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`)
  client.write(body)
  const [request] = (await once(server, 'request')) as [IncomingMessage]
  return request
}

test('of a large body without a reader, little is taken into memory, and it is complete later', async () => {
  const body = Buffer.alloc(1_000_000, 'x')
  const request = await sendPaced(body)
  await until(() => request.socket.bytesRead > 60_000)
  expect(request.readableLength).toBeLessThanOrEqual(2 * 65_536)
  expect((await buffer(request)).equals(body)).toBe(true)
})

test('input that waits counts for the client of its body, not for the proxy or server that passes it on', async () => {
  const payers: string[] = []
  class Noted extends InputBudget {
    override open(...[key, source]: Parameters<InputBudget['open']>) {
      payers.push(key)
      return super.open(key, source)
    }
  }
  const server = createServer((request, response) => void buffer(request).then(() => response.end())).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void server.close())
  new PacedRequests(new Noted(), ({ headers }) => String(headers['x-forwarded-for'])).watch(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ host: '127.0.0.1', port })
  onTestFinished(() => void client.destroy())
  // A connection of another server carries requests of different clients.
  for (const address of ['203.0.113.1', '203.0.113.2']) {
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nTransfer-Encoding: chunked\r\n\r\n`)
    client.write(`${'1\r\nx\r\n'.repeat(3_000)}0\r\n\r\n`)
    await once(client, 'data')
  }
  expect(new Set(payers)).toEqual(new Set(['203.0.113.1', '203.0.113.2']))
})

test.runIf(isNight)('the rest of a rejected body does not stay in memory', async () => {
  const body = Buffer.alloc(300_000_000, 'x')
  const before = process.memoryUsage().arrayBuffers
  const request = await sendPaced(body, (response) => response.writeHead(413).end())
  await once(request, 'end')
  // Garbage counts too, and goes when new buffers are allocated.
  await until(() => {
    Buffer.alloc(1_000_000)
    return process.memoryUsage().arrayBuffers - before < 100_000_000
  })
})
