/** Handshakes cost their sender nothing: a burst of handshakes does not block connected clients. */
import { once } from 'node:events'
import { connect as connectPlain, createServer, type AddressInfo, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect, createSecureContext, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { HttpsServer } from '../../server/engines/http/web/https-server.ts'
import { otherAuthority } from '../support/certificates.ts'
import { steady, until } from '../support/until.ts'

/** Starts a server that records the names of handshakes begun per turn of the event loop. */
async function serving({ handshakeMs = 15_000 } = {}) {
  const { cert, key } = await (await otherAuthority()).issue(['localhost', '127.0.0.1'])
  const context = { cert, key }
  const shown = createSecureContext(context)
  const turns: string[][] = [[]]
  const options = {
    context,
    handshakeMs,
    onPlain: () => {},
    // Called in the middle of each handshake, after its client hello.
    SNICallback(name: string, answer: (error: null, context: typeof shown) => void) {
      turns.at(-1)?.push(name)
      answer(null, shown)
    },
  }
  const server = new HttpsServer(options, (_request, response) => void response.end('served'))
  await once(server.listen(0, '0.0.0.0'), 'listening')
  const count = () => {
    turns.push([])
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  onTestFinished(() => {
    clearImmediate(counting)
    server.closeAllConnections()
    server.closeEarlyConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, number) => resolve(number)))
  return { server, context, port, turns, connections }
}

/** First bytes of a client that connects to a server of this name. */
async function helloTo(servername: string, options?: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername, ...options })
  client.on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [hello] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  server.close()
  return hello
}

async function opened(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectPlain({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const many = 120

test('many simultaneous client hellos are answered one per event loop turn, so that other work runs in between', async () => {
  const { port, turns, connections } = await serving()
  const hello = await helloTo('flood.test')
  const sockets = await Promise.all(Array.from({ length: many }, () => opened(port)))
  await until(async () => (await connections()) === many)
  sockets.forEach((socket) => socket.write(hello))
  await until(() => turns.flat().length === many)
  expect(Math.max(...turns.map((names) => names.length))).toBe(1)
})

test('a client from another address does not wait for the whole queue', async () => {
  const { port, turns, connections } = await serving()
  const [flood, honest] = [await helloTo('flood.test'), await helloTo('honest.test')]
  const sockets = await Promise.all(Array.from({ length: many }, () => opened(port)))
  const other = await opened(port, '127.0.0.2')
  await until(async () => (await connections()) === many + 1)
  sockets.forEach((socket) => socket.write(flood))
  other.write(honest)
  await until(() => turns.flat().includes('honest.test'))
  expect(turns.flat().indexOf('honest.test')).toBeLessThan(many / 2)
})

/** Splits a client hello into records of a given size. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const count = Math.ceil(message.length / size)
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => {
      const part = message.subarray(index * size, (index + 1) * size)
      return Buffer.concat([Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 0xff]), part])
    }),
  )
}

test('a client hello in pieces is queued once it is complete', async () => {
  const { port, turns } = await serving()
  const hello = await helloTo('pieces.test')
  const [bytes, records] = [await opened(port), await opened(port)]
  bytes.setNoDelay()
  for (const byte of hello.subarray(0, 40)) {
    bytes.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  const split = inRecords(hello, 3)
  records.write(split.subarray(0, -1))
  await steady(() => turns.flat().length, 10)
  expect(turns.flat()).toEqual([])
  bytes.write(hello.subarray(40))
  records.write(split.subarray(-1))
  await Promise.all([once(bytes, 'data'), once(records, 'data')])
  expect(turns.flat()).toEqual(['pieces.test', 'pieces.test'])
})

test('thousands of empty records in single bytes do not hold up the server', { timeout: 15_000 }, async () => {
  const { server } = await serving()
  const record = [0x16, 3, 1, 0, 0]
  for (let index = 0; index < 4; index++) {
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
    server.emit('connection', socket)
    socket.resume()
    await steady(() => socket.readableFlowing, 2)
    for (let at = 0; at < 16_000; at++) {
      socket.push(Buffer.from([record[at % record.length]!]))
    }
    expect(socket.destroyed).toBe(false)
    socket.destroy()
  }
})

test('a hello that is unfinished at 16 KiB is dropped, because its end would begin a handshake outside the queue', async () => {
  const { port, turns } = await serving()
  const names = ['http/1.1', ...Array.from({ length: 80 }, () => 'a'.repeat(250))]
  const hello = await helloTo('large.test', { ALPNProtocols: names })
  const socket = await opened(port)
  const ended = Promise.race([once(socket, 'close'), once(socket, 'data')])
  socket.write(hello.subarray(0, 17_000))
  await steady(() => turns.flat().length, 10)
  socket.write(hello.subarray(17_000))
  await ended
  expect(turns.flat()).toEqual([])
})

test('a hello that is sent byte by byte and never ends is dropped in time, and so is one when the server closes', async () => {
  const { server, port, connections } = await serving({ handshakeMs: 300 })
  const dripping = await opened(port)
  const drip = setInterval(() => dripping.write(Buffer.from([0x16])), 50)
  onTestFinished(() => clearInterval(drip))
  await new Promise((resolve) => dripping.once('close', resolve))
  const patient = await serving()
  const waiting = await opened(patient.port)
  waiting.write(Buffer.from([0x16, 3, 1]))
  await until(async () => (await patient.connections()) === 1)
  patient.server.closeEarlyConnections()
  await new Promise((resolve) => waiting.once('close', resolve))
  expect(await connections()).toBe(0)
  expect(server.listening).toBe(true)
})

test('a handshake that is completed is served, with each version of TLS', async () => {
  const { port } = await serving()
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', maxVersion, rejectUnauthorized: false })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('200 OK')
  }
})

test('a connection with TLS 1.2 gets no second handshake, also after another certificate was shown', async () => {
  const { server, context, port } = await serving()
  for (const isShownAnew of [false, true]) {
    if (isShownAnew) {
      server.show(context)
    }
    const socket = connect({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    const refused = new Promise<Error | null>((resolve) => {
      socket.once('error', resolve)
      socket.renegotiate({ rejectUnauthorized: false }, resolve)
    })
    expect(await refused).toMatchObject({ message: expect.stringContaining('no renegotiation') })
  }
})
