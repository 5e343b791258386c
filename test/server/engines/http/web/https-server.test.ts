import { once } from 'node:events'
import { connect as connectPlain, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { HttpsServer } from '../../../../../server/engines/http/web/https-server.ts'
import { SocketGate } from '../../../../../server/engines/http/web/sockets.ts'
import { StuckReaders } from '../../../../../server/engines/http/web/stuck-readers.ts'
import { otherAuthority } from '../../../../support/certificates.ts'
import { manualClock } from '../../../../support/clock.ts'
import { until } from '../../../../support/until.ts'

const large = Buffer.alloc(16 * 1024 * 1024)

/** A server that answers 'served', or a large body; `prepare` is called before it listens. */
async function serving(prepare: (server: HttpsServer) => void = () => {}, handshakeMs = 15_000, requestMs = 300) {
  const { cert, key } = await (await otherAuthority()).issue(['localhost', '127.0.0.1'])
  const server = new HttpsServer(
    {
      context: { cert, key },
      handshakeMs,
      onPlain: (_request, response) => response.end('plain'),
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: 50,
    },
    (request, response) => void response.end(request.url === '/large' ? large : 'served'),
  )
  prepare(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.closeEarlyConnections()
    server.close()
  })
  return server
}

const portOf = (server: HttpsServer) => (server.address() as AddressInfo).port

function plain(server: HttpsServer): Socket {
  const socket = connectPlain(portOf(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => {})
}

async function secure(server: HttpsServer): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: portOf(server), rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket.on('error', () => {})
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
/** The head of a record, and the start of a hello that never ends. */
const hello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])

test('clients agree on HTTP/1.1, and a client without it is rejected', async () => {
  const server = await serving()
  const connectWith = async (protocols: string[]) => {
    const socket = connect({
      host: '127.0.0.1',
      port: portOf(server),
      rejectUnauthorized: false,
      ALPNProtocols: protocols,
    })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    return socket.alpnProtocol
  }
  expect(await connectWith(['h2', 'http/1.1'])).toBe('http/1.1')
  await expect(connectWith(['h2'])).rejects.toThrow('no application protocol')
})

test('requests are served with TLS, and answered by another listener without TLS', async () => {
  const server = await serving()
  const socket = await secure(server)
  socket.write(request)
  expect(await text(socket)).toContain('served')
  const other = plain(server)
  // Byte by byte: the first byte decides.
  for (const byte of request) {
    other.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await text(other)).toContain('plain')
})

test.each([
  ['a peer that says nothing', () => {}],
  ['a handshake that stalls', (socket: Socket) => void socket.write(hello)],
  ['a plain request that stalls', (socket: Socket) => void socket.write('GET / HTTP/1.1\r\nHo')],
  [
    'a handshake that comes in drops',
    (socket: Socket) => {
      socket.write(hello)
      const timer = setInterval(() => socket.write('x'), 20)
      onTestFinished(() => clearInterval(timer))
    },
  ],
])('%s is disconnected', async (_, speak) => {
  const server = await serving(undefined, 200)
  const socket = plain(server).resume()
  speak(socket)
  await new Promise((resolve) => socket.once('close', resolve))
})

test('a request whose headers stall over TLS is answered 408', async () => {
  const server = await serving()
  const socket = await secure(server)
  socket.write('GET / HTTP/1.1\r\nHo')
  expect(await text(socket)).toContain('408 Request Timeout')
})

test('a peer that does not read its response over TLS is disconnected, a slow reader is not', async () => {
  const clock = manualClock()
  const readers = new StuckReaders(clock)
  onTestFinished(readers.stop)
  const server = await serving((prepared) => readers.watch(prepared))
  const [stuck, slow] = [await secure(server), await secure(server)]
  const ended = { stuck: false, slow: false }
  stuck.pause().once('close', () => (ended.stuck = true))
  slow.once('close', () => (ended.slow = true))
  for (const socket of [stuck, slow]) {
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
  }
  slow.pause()
  for (let taken = 0; taken < large.length;) {
    clock.advance(60_000)
    for (const goal = Math.min(taken + 2_000_000, large.length); taken < goal;) {
      const chunk = slow.read() as Buffer | null
      taken += chunk?.length ?? 0
      if (chunk === null) {
        await once(slow, 'readable')
      }
    }
  }
  // The limit of a write grows with its size.
  clock.advance(20 * 60_000)
  stuck.resume()
  await until(() => ended.stuck)
  expect(ended.slow).toBe(false)
})

test('a connection above the limit of its address is dropped; others are served', async () => {
  const server = await serving((each) => new SocketGate({ total: 100, ofAddress: () => 1 }, manualClock()).guard(each))
  const first = await secure(server)
  await expect(secure(server)).rejects.toThrow(/disconnected|ECONNRESET/)
  first.destroy()
  await until(async () => {
    const socket = await secure(server).catch(() => undefined)
    socket?.write(request)
    return socket !== undefined && (await text(socket)).includes('served')
  })
})

test('another certificate is served from the next connection on, and open connections stay', async () => {
  const server = await serving(undefined, undefined, 60_000)
  const before = await secure(server)
  const { cert, key } = await (await otherAuthority()).issue(['new.example.org'])
  server.show({ cert, key })
  const after = await secure(server)
  expect(after.getPeerX509Certificate()?.subjectAltName).toBe('DNS:new.example.org')
  before.write(request)
  expect(await text(before)).toContain('served')
})
