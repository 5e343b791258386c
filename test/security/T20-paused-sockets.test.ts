/** A paused socket is read until its buffer is full, and each chunk takes far more memory than its bytes. */
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { InputBudget } from '../../server/engines/flow/input-budget.ts'
import { HttpServer } from '../../server/engines/http/web/http-server.ts'
import { HttpsServer } from '../../server/engines/http/web/https-server.ts'
import { PacedRequests } from '../../server/engines/http/web/paced-requests.ts'
import { otherAuthority } from '../support/certificates.ts'
import { steady } from '../support/until.ts'

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const chunkBytes = 512

/** Bytes that a server has read of the chunks behind a request that it does not answer. */
async function readBehind(server: HttpServer | HttpsServer, event: string, open: (port: number) => Socket) {
  const paced = new PacedRequests(new InputBudget(), () => '127.0.0.1')
  paced.watch(server)
  let accepted: Socket | undefined
  server.on(event, (socket: Socket) => (accepted = socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = open((server.address() as AddressInfo).port).on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  client.setNoDelay()
  const write = (text: string) => new Promise((resolve) => client.write(text, resolve))
  await write(request)
  await write(request)
  for (let sent = 0; sent < 100_000; sent += chunkBytes) {
    await write('x'.repeat(chunkBytes))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return await steady(() => accepted?.readableLength ?? 0, 10)
}

test('a connection whose request is not answered buffers 16 KiB of small chunks, with TLS too', async () => {
  const plain = await readBehind(new HttpServer({}, () => {}), 'connection', (port) => connect(port, '127.0.0.1'))
  const { cert, key } = await (await otherAuthority()).issue(['localhost'])
  const options = { context: { cert, key }, handshakeMs: 15_000, onPlain: () => {} }
  const encrypted = await readBehind(new HttpsServer(options, () => {}), 'secureConnection', (port) =>
    connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
  )
  for (const bytes of [plain, encrypted]) {
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(20 * 1024)
  }
})
