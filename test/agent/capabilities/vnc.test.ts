import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { startXvnc } from '../../../tools/simulate/display.ts'
import { Vnc } from '../../../agent/capabilities/vnc.ts'
import { openAccess } from '../../../agent/trust/access.ts'
import { steady, until } from '../../support/until.ts'
import { collectingLog } from '../support.ts'

const success = { isSuccess: true, reason: null, errorCode: null }
const failed = (reason: string) => ({ isSuccess: false, reason, errorCode: null })

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Responder's side of a relay: the socket opened by the agent, and all bytes sent by the agent. */
async function testRelay() {
  const sockets: WebSocket[] = []
  const pieces: Buffer[] = []
  const relay = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(relay, 'listening')
  onTestFinished(() => {
    sockets.forEach((socket) => socket.terminate())
    relay.close()
  })
  let isClosed = false
  relay.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('message', (data: Buffer) => void pieces.push(data))
    socket.on('close', () => (isClosed = true))
  })
  const bytes = () => Buffer.concat(pieces)
  return {
    url: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}/relay`,
    pieces,
    bytes,
    isClosed: () => isClosed,
    socket: () => until(() => sockets[0]),
    /** Reads the next `length` bytes from the device. */
    async read(from: number, length: number) {
      await until(() => bytes().length >= from + length)
      return bytes().subarray(from, from + length)
    },
  }
}

const open = (port: number, allowedPorts = String(port)) => {
  const log = collectingLog()
  const vnc = new Vnc({ log, access: openAccess('http://127.0.0.1'), allowedPorts })
  onTestFinished(() => vnc.closeAll())
  return { vnc, log, create: (websocketUri: string) => vnc.create({ sessionId: 'session', websocketUri, port }) }
}

/** Starts a real VNC server without a password, on a new display. */
async function startVncServer() {
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  const server = await startXvnc(port, '320x200')
  onTestFinished(() => server.stop())
  const { vnc } = open(port)
  await until(async () => (await vnc.test(port)).isSuccess)
  return { port, server }
}

test('a session with a real VNC server shows its screen to the other end of the relay', async () => {
  const { port, server } = await startVncServer()
  const relay = await testRelay()
  const { vnc, create } = open(port)
  expect(await create(relay.url)).toEqual(success)
  const viewer = await relay.socket()
  expect((await relay.read(0, 12)).toString()).toBe('RFB 003.008\n')
  viewer.send('RFB 003.008\n')
  // The server offers a single security type, None; choose it and expect acceptance.
  expect([...(await relay.read(12, 2))]).toEqual([1, 1])
  viewer.send(Buffer.of(1))
  expect([...(await relay.read(14, 4))]).toEqual([0, 0, 0, 0])
  viewer.send(Buffer.of(1))
  const screen = await relay.read(18, 24)
  expect([screen.readUInt16BE(0), screen.readUInt16BE(2)]).toEqual([320, 200])
  const nameEnd = 42 + screen.readUInt32BE(20)
  await relay.read(42, nameEnd - 42)
  viewer.send(Buffer.of(2, 0, 0, 1, 0, 0, 0, 0))
  const request = Buffer.alloc(10)
  request.writeUInt8(3)
  request.writeUInt16BE(320, 6)
  request.writeUInt16BE(200, 8)
  viewer.send(request)
  const update = await relay.read(nameEnd, 16)
  expect([update[0], update.readUInt16BE(8), update.readUInt16BE(10)]).toEqual([0, 320, 200])
  const bytesOfPixel = screen[4]! / 8
  await relay.read(nameEnd, 16 + 320 * 200 * bytesOfPixel)
  expect(Math.max(...relay.pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536)

  await server.stop()
  await until(() => relay.isClosed() && vnc.size === 0)
})

test('a session ends at the VNC server when the relay ends it', async () => {
  let hasEnded = false
  const port = await listening(
    createServer((socket) =>
      socket
        .on('error', () => {})
        .on('close', () => (hasEnded = true))
        .resume(),
    ),
  )
  const relay = await testRelay()
  const { vnc, create } = open(port)
  await create(relay.url)
  const viewer = await relay.socket()
  viewer.close(1000)
  await until(() => hasEnded && vnc.size === 0)
})

test('a session that the relay rejects ends at the VNC server, and the log has no token', async () => {
  let hasEnded = false
  const port = await listening(
    createServer((socket) =>
      socket
        .on('error', () => {})
        .on('close', () => (hasEnded = true))
        .resume(),
    ),
  )
  const closed = await listening(createServer((socket) => socket.destroy()))
  const { create, log } = open(port)
  expect(await create(`ws://127.0.0.1:${closed}/relay?accessToken=secret-token`)).toEqual(success)
  await until(() => hasEnded)
  await until(() => log.lines.some((line) => line.includes('ended with an error')))
  expect(log.lines.join('\n')).not.toContain('secret-token')
})

test('output for a slow viewer waits in the VNC server, not in the agent', async () => {
  const block = Buffer.alloc(65_536, 7)
  let sent = 0
  const port = await listening(
    createServer((socket) => {
      const fill = () => {
        while (sent < 200_000_000 && socket.write(block)) {
          sent += block.length
        }
      }
      socket.on('drain', fill).on('error', () => {})
      fill()
    }),
  )
  const relay = await testRelay()
  const { create } = open(port)
  await create(relay.url)
  const viewer = await relay.socket()
  viewer.pause()
  const before = await steady(() => sent)
  expect(before).toBeLessThan(50_000_000)
  viewer.resume()
  await until(() => sent > before)
})

test('a session without a VNC server is rejected', async () => {
  // Use low ports, on which no program listens by chance.
  const { vnc } = open(2, '1-2')
  expect(await vnc.create({ sessionId: 'session', websocketUri: 'ws://127.0.0.1:1/', port: 2 })).toEqual(
    failed('Error while creating proxy session.'),
  )
})

test('a test reports whether a VNC server is reachable', async () => {
  const port = await listening(createServer((socket) => socket.on('error', () => {})))
  const { vnc } = open(port, `${port},1`)
  expect(await vnc.test(port)).toEqual(success)
  expect(await vnc.test(1)).toEqual(failed('The VNC service is not running or not reachable on the remote device.'))
})

test('a VNC server that listens on ::1 only is found', async () => {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(0, '::1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect(await open(port).vnc.test(port)).toEqual(success)
})
