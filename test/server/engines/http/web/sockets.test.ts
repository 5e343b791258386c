import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../../server/ground/clock.ts'
import { SocketGate, type SocketLimits } from '../../../../../server/engines/http/web/sockets.ts'

/** A server that answers requests and upgrades, with limited sockets. */
async function gated(limits: Partial<SocketLimits>): Promise<Server> {
  const server = createServer((_request, response) => response.end('served'))
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => {})
    socket.on('end', () => socket.end()).resume()
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  })
  new SocketGate({ total: 100, ofAddress: () => 100, ...limits }, systemClock).guard(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** An open socket from one of many addresses of this machine. */
async function open(server: Server, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}

const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

async function ask(server: Server, localAddress?: string): Promise<string> {
  const socket = await open(server, localAddress)
  socket.write(request)
  return text(socket)
}

const firstAnswer = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once('data', (bytes: Buffer) => resolve(bytes.toString())))

test('a socket above the limit of its address is rejected with a reason; other addresses are served', async () => {
  const server = await gated({ ofAddress: () => 2 })
  await open(server)
  await open(server)
  const refusal = await ask(server)
  expect(refusal).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 10\r\n.*Too many open connections from your address/s)
  expect(await ask(server, '127.0.0.2')).toContain('served')
})

test('a socket above the total limit is rejected with a reason, from any address', async () => {
  const server = await gated({ total: 2 })
  await open(server)
  await open(server, '127.0.0.2')
  expect(await ask(server, '127.0.0.3')).toContain('Too many connections are open.')
})

test('an address may have a separate limit', async () => {
  const server = await gated({ ofAddress: (address) => (address === '127.0.0.1' ? 3 : 1) })
  await open(server)
  await open(server)
  expect(await ask(server)).toContain('served')
  await open(server, '127.0.0.2')
  expect(await ask(server, '127.0.0.2')).toContain('Too many open connections from your address')
})

test('upgraded sockets count until they end', async () => {
  const server = await gated({ ofAddress: () => 1 })
  const upgraded = await open(server)
  upgraded.write(upgrade)
  expect(await firstAnswer(upgraded)).toContain('101')
  expect(await ask(server)).toContain('503')
  upgraded.destroy()
  await expect.poll(() => ask(server)).toContain('served')
})

test('a rejected peer that stays connected is disconnected', async () => {
  const server = await gated({ total: 0 })
  const socket = await open(server)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // The peer ignores the end of our side and keeps sending.
  socket.allowHalfOpen = true
  const dripping = setInterval(() => socket.write('x'), 50)
  onTestFinished(() => clearInterval(dripping))
  socket.resume()
  await closed
})
