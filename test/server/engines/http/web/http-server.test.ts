import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { allowSlowBody, HttpServer } from '../../../../../server/engines/http/web/http-server.ts'

async function serving(): Promise<number> {
  const server = new HttpServer(
    { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 },
    (request, response) => {
      if (request.url === '/patient') {
        allowSlowBody(request, response)
      }
      request.resume().on('end', () => response.end('whole'))
    },
  )
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** A request of which half of the body is sent. */
function halfSent(port: number, path: string) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const answer: Buffer[] = []
  socket.on('data', (chunk) => void answer.push(chunk)).on('error', () => {})
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\na`)
  const answered = once(socket, 'close').then(() => Buffer.concat(answer).toString())
  return { socket, answered }
}

test('a request body takes too long to arrive: 408, but a route that allows slow bodies waits for the rest', async () => {
  const port = await serving()
  const patient = halfSent(port, '/patient')
  await once(patient.socket, 'connect')
  const impatient = halfSent(port, '/')
  // The patient request began first: its limit has passed, too.
  expect(await impatient.answered).toContain('408 Request Timeout')
  patient.socket.write('b')
  const answer = await patient.answered
  expect(answer).toContain('200 OK')
  expect(answer).toContain('whole')
})
