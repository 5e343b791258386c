import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { allowSlowBody, HttpServer } from '../../../../server/http/web/http-server.ts'

/** A request whose body comes in two halves, the second one long after the limit; what it is answered. */
async function slowRequest(path: string): Promise<string> {
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
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const answer: Buffer[] = []
  socket.on('data', (chunk) => void answer.push(chunk)).on('error', () => {})
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\na`)
  const timer = setTimeout(() => socket.write('b'), 600)
  await once(socket, 'close')
  clearTimeout(timer)
  return Buffer.concat(answer).toString()
}

test('a request body that takes too long to arrive is answered 408', async () => {
  expect(await slowRequest('/')).toContain('408 Request Timeout')
})

test('a body of a route that allows slow bodies is waited for', async () => {
  const answer = await slowRequest('/patient')
  expect(answer).toContain('200 OK')
  expect(answer).toContain('whole')
})
