/** A paused socket is read until its buffer is full, and Node keeps each of its chunks by itself. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { InputBudget } from '../../server/engines/flow/input-budget.ts'
import { HttpServer } from '../../server/engines/http/web/http-server.ts'
import { HttpsServer } from '../../server/engines/http/web/https-server.ts'
import { PacedRequests } from '../../server/engines/http/web/paced-requests.ts'
import type { Listener } from '../../server/engines/http/web/response.ts'
import { otherAuthority } from '../support/certificates.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { steady, until } from '../support/until.ts'

/** A server and a client, which pauses after each chunk until the system has it. */
async function stage(server: HttpServer | HttpsServer, event: string, open: (port: number) => Socket) {
  const paced = new PacedRequests(new InputBudget(), () => '127.0.0.1')
  paced.watch(server)
  const sockets: Socket[] = []
  const chunks: WeakRef<Buffer>[] = []
  server.on(event, (socket: Socket) => {
    sockets.push(socket)
    const push = socket.push.bind(socket)
    socket.push = (chunk: Buffer | null) => {
      if (chunk) {
        chunks.push(new WeakRef(chunk))
      }
      return push(chunk)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = open((server.address() as AddressInfo).port).on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  client.setNoDelay()
  const send = async (piece: string, count: number) => {
    for (let sent = 0; sent < count; sent++) {
      await new Promise((resolve) => client.write(piece, resolve))
      await new Promise(setImmediate)
    }
  }
  return { send, client, chunks, bytesRead: () => sockets[0]?.bytesRead ?? 0 }
}

const stagePlain = (listener: Listener) =>
  stage(new HttpServer({}, listener), 'connection', (port) => connect(port, '127.0.0.1'))

async function stageTls(listener: Listener) {
  const { cert, key } = await (await otherAuthority()).issue(['localhost'])
  const options = { context: { cert, key }, handshakeMs: 15_000, onPlain: () => {} }
  return stage(new HttpsServer(options, listener), 'secureConnection', (port) =>
    connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
  )
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('a connection whose request is not answered buffers 16 KiB of small chunks, with TLS too', async () => {
  for (const { send, bytesRead } of [await stagePlain(() => {}), await stageTls(() => {})]) {
    await send(request, 2)
    await send('x'.repeat(512), 200)
    const bytes = await steady(bytesRead, 10)
    expect(bytes).toBeGreaterThan(4 * 1024)
    // Node reads what the system has, up to 64 KiB, before it stops.
    expect(bytes).toBeLessThan(90 * 1024)
  }
})

test('a connection whose request is not answered keeps no chunk for each byte that arrives by itself', async () => {
  for (const { send, chunks } of [await stagePlain(() => {}), await stageTls(() => {})]) {
    await send(request, 2)
    await send('x', 3_000)
    await until(() => chunks.length > 500)
    await steady(() => chunks.length)
    await collectGarbage()
    expect(chunks.filter((chunk) => chunk.deref()).length).toBeLessThan(20)
  }
})

test('input that arrived byte by byte behind a request without an answer is read in order', async () => {
  const digits = Array.from({ length: 1_000 }, (_, index) => index % 10).join('')
  for (const start of [stagePlain, stageTls]) {
    const open: (() => void)[] = []
    const bodies: string[] = []
    const { send, client } = await start((incoming, response) => {
      open.push(() => response.end())
      void text(incoming satisfies IncomingMessage).then((body) => bodies.push(body))
    })
    client.resume()
    await send(request, 1)
    await send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n', 1)
    for (const digit of digits) {
      await send(digit, 1)
    }
    await send('-'.repeat(2_000), 1)
    for (const digit of request) {
      await send(digit, 1)
    }
    for (let answered = 0; answered < 3; answered++) {
      await until(() => open.length > answered)
      open[answered]!()
    }
    await until(() => bodies.length === 3)
    expect(bodies).toEqual(['', digits + '-'.repeat(2_000), ''])
  }
})
