import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { Listeners } from '../../../server/network/listeners.ts'
import { redirectTo } from '../../../server/engines/http/web/redirect.ts'
import { ServerTls, type StoredIdentity } from '../../../server/engines/tls/server-tls.ts'
import { manualClock, type ManualClock } from '../../support/clock.ts'
import { createTestLog } from '../../support/log.ts'
import { steady, until } from '../../support/until.ts'

const memoryStore = () => {
  let stored: StoredIdentity | undefined
  return {
    load: () => Promise.resolve(stored),
    save: (identity: StoredIdentity) => {
      stored = identity
      return Promise.resolve()
    },
  }
}

/** Listeners whose handler answers all paths except `/never`, stored in `held`, and whose WebSockets echo. */
function listening(clock: ManualClock = manualClock()) {
  const log = createTestLog()
  let tls: Promise<ServerTls> | undefined
  const openTls = () =>
    (tls ??= ServerTls.open({ clock, log, store: memoryStore(), names: ['localhost', '127.0.0.1'] }))
  const listeners = new Listeners({ clock, log, tls: openTls })
  const sockets = new WebSocketServer({ noServer: true })
  const held: ServerResponse[] = []
  listeners.answer({
    handler: (request, response) => void (request.url === '/never' ? held.push(response) : response.end('served')),
    prepare: (server) =>
      void server.on('upgrade', (request, socket, head) =>
        sockets.handleUpgrade(request, socket, head, (webSocket) =>
          webSocket.on('message', (data) => webSocket.send(data)),
        ),
      ),
    onPlain: redirectTo(() => 'https://localhost'),
  })
  onTestFinished(async () => {
    sockets.clients.forEach((client) => client.terminate())
    await listeners.stop()
    await (await tls)?.close()
  })
  return { listeners, clock, log, openTls, held }
}

const secure = { scheme: 'https', host: '127.0.0.1', port: 0 } as const
const plain = { scheme: 'http', host: '127.0.0.1', port: 0 } as const

async function shownAt(port: number) {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerX509Certificate()
  socket.destroy()
  return certificate
}

describe.each([plain, secure])('an address of $scheme', (address) => {
  test('opens and closes while others stay open', async () => {
    const { listeners } = listening()
    const other = await listeners.open({ ...plain, host: '127.0.0.2' }, { isFixed: true })
    const { url, port, ...state } = await listeners.open(address)
    expect(state).toEqual({ scheme: address.scheme, host: '127.0.0.1', isFixed: false, problem: null })
    expect(url).toBe(`${address.scheme}://127.0.0.1:${port}`)
    expect(listeners.list().map((listener) => [listener.url, listener.isFixed])).toEqual([
      [other.url, true],
      [url, false],
    ])
    await listeners.close({ ...address, port }, 'It was switched off.')
    await expect(shownAt(port)).rejects.toThrow('ECONNREFUSED')
    expect(await (await fetch(other.url)).text()).toBe('served')
    expect(listeners.list().map((listener) => listener.url)).toEqual([other.url])
  })

  test('sends its WebSockets the reason when it closes, and drops sockets that stay open', async () => {
    const { listeners, clock } = listening()
    const { port } = await listeners.open(address)
    const scheme = address.scheme === 'http' ? 'ws' : 'wss'
    const socket = new WebSocket(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false })
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.send('hello')
    await once(socket, 'message')
    const closed = once(socket, 'close')
    const waiting = new Promise<Error>((resolve) => {
      const request = new WebSocket(`${scheme}://127.0.0.1:${port}/never`, {
        rejectUnauthorized: false,
        headers: { upgrade: 'x' },
      })
      request.on('error', resolve)
    })
    const closing = listeners.close({ ...address, port }, 'It was switched off.')
    const [code, reason] = (await closed) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([1001, 'It was switched off.'])
    clock.advance(2_000)
    await closing
    await waiting
  })
})

test('an address in use has a problem, does not affect the others, and opens when it is free', async () => {
  const { listeners } = listening()
  const taken = createServer()
  await once(taken.listen(0, '127.0.0.1'), 'listening')
  const { port } = taken.address() as AddressInfo
  const problem = `Port ${port} on 127.0.0.1 is in use by another program.`
  expect(await listeners.open({ ...secure, port })).toMatchObject({ problem })
  expect(listeners.list()).toMatchObject([{ port, problem }])
  taken.close()
  await once(taken, 'close')
  expect(await listeners.open({ ...secure, port })).toMatchObject({ problem: null })
  expect(listeners.list()).toHaveLength(1)
})

test('an address that is open stays open when it is opened again', async () => {
  const { listeners } = listening()
  const first = await listeners.open(plain)
  expect(await listeners.open(plain)).toEqual(first)
  expect(await listeners.open({ ...plain, port: first.port })).toEqual(first)
})

test('a certificate is for the host of the address, and a new one is served without a restart', async () => {
  const { listeners, openTls } = listening()
  const { port } = await listeners.open({ ...secure, host: '127.0.0.9' })
  const tls = await openTls()
  expect(tls.certificate().names).toContain('127.0.0.9')
  const { port: other } = await listeners.open(secure)
  const before = await shownAt(other)
  await tls.serve(['printer.lan'], 'test')
  const after = await shownAt(other)
  expect(after?.checkHost('printer.lan')).toBe('printer.lan')
  expect(after?.publicKey.equals(before!.publicKey)).toBe(true)
  expect(port).not.toBe(other)
})

test('after 265 days a running server serves a renewed certificate', async () => {
  const { listeners, clock } = listening()
  const { port } = await listeners.open(secure)
  const before = await shownAt(port)
  clock.advance(265 * 24 * 60 * 60_000)
  await until(async () => (await shownAt(port))?.serialNumber !== before?.serialNumber)
})

test('a server that stops accepting rejects new connections, and serves the open ones', async () => {
  const { listeners } = listening()
  const { port } = await listeners.open(plain)
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(socket, 'open')
  listeners.stopAccepting()
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  socket.send('still')
  const [echo] = (await once(socket, 'message')) as [Buffer]
  expect(echo.toString()).toBe('still')
  socket.close()
})

test('silent connections do not keep a server from stopping', async () => {
  const { listeners } = listening()
  const { port } = await listeners.open(secure)
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  await listeners.stop()
})

test('a client that keeps sending requests on one connection loses none, and does not keep a server from stopping', async () => {
  const { listeners, held } = listening()
  const { url } = await listeners.open(plain)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ask = async (path: string) => {
    const [response] = (await once(get(url + path, { agent }), 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response.headers
  }
  const first = ask('/never')
  await until(() => held.length === 1)
  const stopped = listeners.stop()
  await until(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  )
  held[0]!.end('late')
  expect(await first).toMatchObject({ connection: 'close' })
  const asking = (async () => {
    for (;;) {
      await ask('/')
    }
  })()
  await expect(asking).rejects.toThrow('ECONNREFUSED')
  await stopped
})

test('a request that does not end keeps a server from stopping for five seconds, and no longer', async () => {
  const { listeners, clock, held } = listening()
  const { url } = await listeners.open(plain)
  const cut = fetch(`${url}/never`).then(
    () => 'answered',
    () => 'cut off',
  )
  await until(() => held.length === 1)
  let hasStopped = false
  const stopped = listeners.stop().then(() => (hasStopped = true))
  await until(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  )
  clock.advance(4_999)
  expect(await steady(() => hasStopped)).toBe(false)
  clock.advance(1)
  await stopped
  expect(await cut).toBe('cut off')
})
