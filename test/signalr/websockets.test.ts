import { once } from 'node:events'
import { get } from 'node:http'
import { describe, expect, test } from 'vitest'
import { collectingLog } from '../support/test-hub.ts'
import { settle } from '../support/wire.ts'
import { clock, handshake, openSocket, running, start, url } from './http-harness.ts'
import { steady, until } from '../support/until.ts'

describe('WebSockets', () => {
  test('are opened without sub-protocol and compression', async () => {
    await start()
    const request = get(url(), {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol': 'chat, superchat',
        'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits',
      },
    })
    const [response, socket] = await once(request, 'upgrade')
    socket.destroy()
    expect([
      response.statusCode,
      response.headers['sec-websocket-protocol'],
      response.headers['sec-websocket-extensions'],
    ]).toEqual([101, undefined, undefined])
  })

  test('need no negotiation and carry JSON in text frames', async () => {
    const { hub } = await start()
    const { socket, frames } = await openSocket('')
    socket.send(Buffer.from(handshake))
    socket.send('{"type":1,"invocationId":"1","target":"Echo","arguments":["é"]}\x1e')
    await until(() => frames.length === 2)
    socket.close(1000)
    const [code] = await once(socket, 'close')
    await until(() => hub.events.length === 2)
    expect([frames, code, hub.events]).toEqual([
      ['text {}\x1e', 'text {"type":3,"invocationId":"1","result":"é"}\x1e'],
      1000,
      ['connected', 'disconnected'],
    ])
  })

  test.each([8_200, 20_000, 32_000])('carry a text of %i characters with one outside ASCII', async (length) => {
    await start()
    const { socket, frames } = await openSocket('')
    const long = `é${'x'.repeat(length)}`
    socket.send(Buffer.from(handshake))
    for (const invocationId of ['1', '2']) {
      socket.send(`${JSON.stringify({ type: 1, invocationId, target: 'Echo', arguments: [long] })}\x1e`)
    }
    await until(() => frames.length === 3)
    socket.terminate()
    expect(frames.slice(1)).toEqual(
      ['1', '2'].map((invocationId) => `text ${JSON.stringify({ type: 3, invocationId, result: long })}\x1e`),
    )
  })

  test('carry MessagePack and the answer to its handshake in binary frames', async () => {
    await start()
    const { socket, frames } = await openSocket('')
    socket.send('{"protocol":"messagepack","version":1}\x1e')
    await until(() => frames.length === 1)
    expect(frames).toEqual(['binary {}\x1e'])
    socket.terminate()
  })

  test('a character split over two text frames is read whole', async () => {
    await start()
    const { socket, frames } = await openSocket('')
    const bytes = Buffer.from(`${handshake}{"type":1,"invocationId":"1","target":"Echo","arguments":["é"]}\x1e`)
    const inside = bytes.indexOf(0xc3) + 1
    socket.send(bytes.subarray(0, inside), { binary: false })
    socket.send(bytes.subarray(inside), { binary: false })
    await until(() => frames.length === 2)
    expect(frames[1]).toContain('"result":"é"')
    socket.terminate()
  })

  test('a failed handshake closes the socket with 1000', async () => {
    await start()
    const { socket, frames } = await openSocket('')
    socket.send('{"protocol":"x","version":1}\x1e')
    const [code, reason] = await once(socket, 'close')
    expect([frames, code, String(reason)]).toEqual([
      ['text {"error":"The protocol \'x\' is not supported."}\x1e'],
      1000,
      '',
    ])
  })

  test('a message that is too large ends the connection with a Close message and 1000', async () => {
    const log = collectingLog({ infos: true })
    const { hub } = await start({}, log)
    const { socket, frames } = await openSocket('')
    socket.send(handshake)
    socket.send(Buffer.alloc(20_000_000))
    const [code] = await once(socket, 'close')
    const reason =
      'The maximum message size of 32768B was exceeded. The message size can be configured in AddHubOptions.'
    expect([code, frames.at(-1)]).toEqual([
      1000,
      'text {"type":7,"error":"Connection closed with an error.","allowReconnect":true}\x1e',
    ])
    expect([hub.events, log.lines]).toEqual([
      ['connected', `disconnected: ${reason}`],
      [`A client sent invalid data. ${reason}`],
    ])
  })

  test('a client that does not answer the close frame is disconnected after 5 s', async () => {
    await start()
    const { socket, frames } = await openSocket('')
    socket.send(handshake)
    await until(() => frames.length === 1)
    socket.pause()
    socket.send('{"type":1,"target":"Abort","arguments":[]}\x1e')
    await until(() => running?.hub.events.length === 2)
    let isClosed = false
    socket.on('close', () => (isClosed = true))
    await clock.advance(4_000)
    expect([isClosed, clock.pending]).toEqual([false, 1])
    await clock.advance(2_000)
    await until(() => clock.pending === 0)
    socket.terminate()
  })

  test('a client that stops reading is disconnected after 10 s', async () => {
    const { server, hub } = await start()
    const { socket, frames } = await openSocket('')
    socket.send(handshake)
    await until(() => frames.length === 1)
    socket.pause()
    void server.clients.all.send('Heard', ['x'.repeat(30_000_000)])
    await settle()
    await clock.advance(12_000)
    expect(hub.events).toEqual(['connected', 'disconnected: The client did not read its messages in time.'])
    socket.terminate()
  })

  test('a busy hub stops reading from the socket until it is done', async () => {
    const { hub } = await start()
    const { socket, frames } = await openSocket('')
    socket.send(handshake + '{"type":1,"invocationId":"0","target":"Wait","arguments":[]}\x1e')
    await until(() => hub.waiting === 1)
    const echo = `{"type":1,"invocationId":"1","target":"Echo","arguments":["${'x'.repeat(1_000)}"]}\x1e`
    for (let i = 0; i < 20_000; i++) {
      socket.send(echo)
    }
    expect(await steady(() => socket.bufferedAmount, 30)).toBeGreaterThan(1_000_000)
    hub.release('go')
    await until(() => frames.length === 20_002)
    socket.terminate()
  })

  test('a client whose input is stopped still receives and answers the close frame', async () => {
    const { hub, server } = await start()
    const { socket, frames } = await openSocket('')
    socket.send(handshake + '{"type":1,"invocationId":"0","target":"Wait","arguments":[]}\x1e'.repeat(2_000))
    await until(() => hub.waiting === 1)
    for (const connection of server.connections) {
      connection.abort()
    }
    const [code] = await once(socket, 'close')
    expect([code, frames.at(-1)]).toEqual([1000, 'text {"type":7}\x1e'])
    await until(() => clock.pending === 0)
  })
})
