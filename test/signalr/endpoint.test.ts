import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { ask, clock, handshake, negotiate, newToken, openSocket, plain, start, url } from './http-harness.ts'

describe('negotiate', () => {
  const transports = [
    { transport: 'WebSockets', transferFormats: ['Text', 'Binary'] },
    { transport: 'ServerSentEvents', transferFormats: ['Text'] },
    { transport: 'LongPolling', transferFormats: ['Text', 'Binary'] },
  ]
  const id = expect.stringMatching(/^[\w-]{22}$/)
  const version0 = { negotiateVersion: 0, connectionId: id, availableTransports: transports.slice(0, 1) }
  const version1 = { negotiateVersion: 1, connectionId: id, connectionToken: id, availableTransports: transports }
  const unsupported = (version: string) => ({
    error: `The client requested version '${version}', but the server does not support this version.`,
  })
  const notANumber = { error: 'The client requested a non-integer protocol version.' }

  test.each([
    ['', version0],
    ['?negotiateVersion=', version0],
    ['?negotiateVersion=0', version0],
    ['?negotiateVersion=1', version1],
    ['?NEGOTIATEVERSION=1', version1],
    ['?negotiateVersion=2', version1],
    ['?negotiateVersion=1&useStatefulReconnect=true', version1],
    ['?negotiateVersion=x', notANumber],
    ['?negotiateVersion=1.5', notANumber],
    ['?negotiateVersion=-1', unsupported('-1')],
  ])('%s', async (query, expected) => {
    await start()
    const { response, json } = await negotiate(query)
    expect([response.status, response.headers.get('content-type'), json]).toEqual([200, 'application/json', expected])
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(JSON.stringify(json)))
  })

  test('a minimum version and a list of transports are respected', async () => {
    await start({ minNegotiateVersion: 1, transports: ['LongPolling', 'WebSockets'] })
    expect((await negotiate('')).json).toEqual(unsupported('0'))
    expect((await negotiate()).json['availableTransports']).toEqual([transports[0], transports[2]])
  })

  test('the public connection id is not accepted in place of the secret token', async () => {
    await start()
    const { json } = await negotiate()
    expect(json['connectionToken']).not.toBe(json['connectionId'])
    expect(await ask('GET', `?id=${json['connectionId']}`)).toEqual(plain(404, 'No Connection with that ID'))
  })

  test('the path is matched without regard to case and a trailing slash', async () => {
    await start()
    for (const path of ['/NEGOTIATE', '/negotiate/']) {
      expect((await fetch(url(path), { method: 'POST' })).status).toBe(200)
    }
  })

  test('a GET of negotiate is answered 405', async () => {
    await start()
    expect(await ask('GET', '/negotiate')).toEqual(plain(405))
  })
})

describe('rejections', () => {
  const sse = { headers: { accept: 'text/html, text/event-stream' } }
  test.each([
    ['GET', '', {}, 400, 'Connection ID required'],
    ['GET', '?id=', {}, 400, 'Connection ID required'],
    ['GET', '', sse, 400, 'Connection ID required'],
    ['POST', '', {}, 400, 'Connection ID required'],
    ['DELETE', '', {}, 400, 'Connection ID required'],
    ['GET', '?id=x', {}, 404, 'No Connection with that ID'],
    ['GET', '?id=x', sse, 404, 'No Connection with that ID'],
    ['POST', '?id=x', {}, 404, 'No Connection with that ID'],
    ['DELETE', '?id=x', {}, 404, 'No Connection with that ID'],
    ['PUT', '?id=x', {}, 405, ''],
  ])('%s %s', async (method, query, init, status, body) => {
    await start()
    expect(await ask(method, query, init)).toEqual(plain(status, body))
  })

  test('a transport that is disabled is answered 404', async () => {
    await start({ transports: [] })
    const id = await newToken()
    const text = 'transport not supported by this end point type'
    expect(await ask('GET', `?id=${id}`)).toEqual(plain(404, `LongPolling ${text}`))
    expect(await ask('GET', `?id=${id}`, sse)).toEqual(plain(404, `ServerSentEvents ${text}`))
    expect(await openSocket(`?id=${id}`)).toMatchObject({ status: 404, body: `WebSockets ${text}` })
    expect(await openSocket('')).toMatchObject({ status: 404, body: `WebSockets ${text}` })
  })

  test('a request over a second transport is rejected', async () => {
    await start()
    const id = await newToken()
    await ask('GET', `?id=${id}`)
    expect(await ask('GET', `?id=${id}`, sse)).toEqual(plain(400, 'Cannot change transports mid-connection'))
    expect(await openSocket(`?id=${id}`)).toMatchObject({
      status: 400,
      body: 'Cannot change transports mid-connection',
    })
  })

  test('a second WebSocket is rejected and the first stays open', async () => {
    await start()
    const id = await newToken()
    const first = await openSocket(`?id=${id}`)
    expect(await openSocket(`?id=${id}`)).toMatchObject({ status: 409, body: '' })
    first.socket.send(handshake)
    await until(() => first.frames.length)
    expect(await ask('POST', `?id=${id}`)).toEqual(
      plain(405, 'POST requests are not allowed for WebSocket connections.'),
    )
    expect(await ask('DELETE', `?id=${id}`)).toEqual(
      plain(400, 'Cannot terminate this connection using the DELETE endpoint.'),
    )
    first.socket.terminate()
  })

  test('the public id of a WebSocket that was not negotiated opens no other transport', async () => {
    const { server } = await start()
    const { socket, frames } = await openSocket('')
    socket.send(handshake)
    await until(() => frames.length)
    const [{ id } = { id: '' }] = server.connections
    const statuses = [
      await ask('GET', `?id=${id}`),
      await ask('GET', `?id=${id}`, sse),
      await ask('POST', `?id=${id}`),
      await ask('DELETE', `?id=${id}`),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 405, 400])
    socket.terminate()
  })

  test('an address at its connection limit is rejected until a connection ends', async () => {
    const { server } = await start({ maxConnectionsOf: () => 2 })
    const { socket, frames } = await openSocket('')
    socket.send(handshake)
    await until(() => frames.length)
    await newToken()
    expect([(await fetch(url('/negotiate'), { method: 'POST' })).status, (await openSocket('')).status]).toEqual([
      503, 503,
    ])
    socket.terminate()
    await until(() => server.connections.count === 0)
    expect((await fetch(url('/negotiate'), { method: 'POST' })).status).toBe(200)
  })

  test('DELETE before a transport is attached is rejected', async () => {
    await start()
    expect(await ask('DELETE', `?id=${await newToken()}`)).toEqual(
      plain(400, 'Cannot terminate this connection using the DELETE endpoint.'),
    )
  })

  test('a token that is never used expires after 15 s', async () => {
    await start()
    const id = await newToken()
    await clock.advance(15_000)
    expect(await ask('GET', `?id=${id}`)).toEqual(plain(404, 'No Connection with that ID'))
  })

  test('a closing server rejects new connections', async () => {
    const { server } = await start()
    await server.close()
    expect([(await fetch(url('/negotiate'), { method: 'POST' })).status, (await openSocket('')).status]).toEqual([
      503, 503,
    ])
  })

  test('an upgrade that is not a WebSocket handshake is rejected', async () => {
    const { port } = await start()
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /hub HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 400 /)
  })
})
