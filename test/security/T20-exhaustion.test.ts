import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { requestLimits } from '../../server/engines/http/web/http-server.ts'
import { listen, stopListening } from '../../server/network/listen.ts'
import { ownerForFile, serverForFile, type TestServer } from '../support/server.ts'
import { within } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const json = { 'content-type': 'application/json' }
const search = '/api/v1/devices/search'

/** Expects that the server still answers others quickly. */
async function expectAlive(server: TestServer) {
  const response = await within(2_000, server.visitor().fetch('/api/v1/version/server'))
  expect(response.status).toBe(200)
}

test.each([
  ['a body of two megabytes', () => JSON.stringify({ searchText: 'x'.repeat(2 * 1024 * 1024) }), {}, 413],
  [
    'a small body that unpacks to a gigabyte',
    () => gzipSync(Buffer.alloc(64 * 1024 * 1024, '[')),
    { 'content-encoding': 'gzip' },
    413,
  ],
  ['an unknown content encoding', () => 'x', { 'content-encoding': 'lzma' }, 415],
  ['half a million brackets', () => '['.repeat(500_000), {}, 400],
  ['half a million nested objects', () => '{"a":'.repeat(170_000) + '1' + '}'.repeat(170_000), {}, 400],
  [
    'a hundred thousand members',
    () => JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i, 0]))),
    {},
    400,
  ],
  [
    'fifty thousand filters',
    () => JSON.stringify({ pageSize: 1, filterDefinitions: Array.from({ length: 50_000 }, () => ({})) }),
    {},
    400,
  ],
])('%s is answered, and others are served', async (_, body, headers, status) => {
  const response = await owner.fetch(search, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: body() as BodyInit,
  })
  expect(response.status).toBe(status)
  await expectAlive(server)
})

test('a body nested to the limit is accepted, and a deeper one is rejected', async () => {
  const send = async (depth: number) => {
    // Brackets inside strings are no nesting.
    const filler = '['.repeat(200)
    const deep = '['.repeat(depth - 1) + ']'.repeat(depth - 1)
    const body = `{"pageSize":1,"searchText":"\\"${filler}","unknown":${deep}}`
    const response = await owner.fetch(search, { method: 'POST', headers: json, body })
    return [response.status, ((await response.json()) as { detail?: string }).detail]
  }
  expect(await send(64)).toEqual([200, undefined])
  expect(await send(65)).toEqual([400, 'The body is nested deeper than 64 levels.'])
})

test('peers that send nothing, or never finish their headers, are disconnected', async () => {
  // The limits of the product, 50 times as fast: Node takes no clock.
  const faster = Object.entries(requestLimits).map(([name, ms]) => [name, ms / 50])
  const limits = Object.fromEntries(faster) as typeof requestLimits
  const handlers = { handler: () => {}, prepare() {}, onPlain: () => {} }
  const address = { scheme: 'http', host: '127.0.0.1', port: 0 } as const
  const { server, port } = await listen(address, handlers, {}, limits)
  onTestFinished(() => stopListening(server))
  const ended = ['', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n'].map(async (start) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(start)
    const dripping = setInterval(() => start !== '' && socket.write('X-Drip: 1\r\n'), 10)
    // A peer that writes on may be reset before it reads the answer.
    const reset = (error: Error) => (start === '' ? Promise.reject(error) : 'HTTP/1.1 408 ')
    const answer = await text(socket)
      .catch(reset)
      .finally(() => clearInterval(dripping))
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })
  await Promise.all(ended)
})

test('a header of 100 kB and an address of 100 kB are rejected', async () => {
  expect((await fetch(server.url, { headers: { cookie: 'x'.repeat(100_000) } })).status).toBe(431)
  expect((await fetch(`${server.url}/${'x'.repeat(100_000)}`)).status).toBe(431)
  await expectAlive(server)
})

test('a hundred peers that send their requests slowly do not delay others', async () => {
  const { port } = new URL(server.url)
  const starts = [
    'GET / HT',
    'POST /api/appliance/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
  ]
  for (let count = 0; count < 100; count++) {
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(starts[count % starts.length]!)
  }
  await expectAlive(server)
})

test.each(['/hubs/agent', '/hubs/viewer'])('%s closes only the connection that sends a giant message', async (path) => {
  const open = async () => {
    const headers = { origin: server.url, cookie: owner.cookie! }
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers })
    onTestFinished(() => socket.terminate())
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    socket.send('{"protocol":"json","version":1}\x1e')
    return socket
  }
  const [greedy, modest] = [await open(), await open()]
  const closed = new Promise((resolve) => greedy.on('close', resolve))
  greedy.send(`{"type":1,"target":"Nothing","arguments":["${'x'.repeat(3 * 1024 * 1024)}"]}\x1e`)
  expect(await within(10_000, closed)).toBe(1000)
  expect(modest.readyState).toBe(WebSocket.OPEN)
  await expectAlive(server)
})

test('a message nested a hundred thousand deep does not affect other connections', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/hubs/agent`)
  onTestFinished(() => socket.terminate())
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  socket.send(`{"protocol":"json","version":1}\x1e{"type":1,"target":"UpdateDevice","arguments":[${deep}]}\x1e`)
  await expectAlive(server)
})
