import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpServer } from '../../../../../server/engines/http/web/http-server.ts'
import { until } from '../../../../support/until.ts'

const length = 1_000_000

/** A server that rejects every body before it arrives, and a client that has sent one byte of a body. */
async function refused(): Promise<{ socket: Socket; answer: () => string }> {
  const server = new HttpServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.statusCode = request.method === 'GET' ? 200 : 410
    response.end(request.url)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const received: Buffer[] = []
  socket.on('data', (chunk) => void received.push(chunk)).on('error', () => {})
  socket.write(`PUT /refused HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\na`)
  const answer = () => Buffer.concat(received).toString()
  await until(() => answer().includes('/refused'))
  return { socket, answer }
}

/** Sends one byte of the body after the other, and resolves with the answer when the server disconnects. */
async function dripping({ socket, answer }: Awaited<ReturnType<typeof refused>>): Promise<string> {
  const sending = setInterval(() => socket.write('a'), 50)
  // `once` would reject for the reset that a byte sent at that moment causes.
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  clearInterval(sending)
  return answer()
}

test('after an early response, a client that continues its body is disconnected; a client that ends its body stays connected', async () => {
  const ended = await refused()
  ended.socket.write('a'.repeat(length - 1))
  expect(await dripping(await refused())).toMatch(/^HTTP\/1.1 410 /)
  ended.socket.write('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => ended.answer().includes('/next'))
})
