import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { PacedRequests } from '../../../../../server/engines/http/web/paced-requests.ts'
import { InputBudget } from '../../../../../server/engines/flow/input-budget.ts'

test('pipelined requests are handled one at a time, and answered in order', async () => {
  let running = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++running)
    setImmediate(() => {
      running--
      response.end(`${request.url} `)
    })
  })
  new PacedRequests(new InputBudget(), () => '').watch(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const requests = Array.from({ length: 20 }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n`)
  socket.write(`${requests.slice(0, -1).join('\r\n')}\r\n${requests.at(-1)}Connection: close\r\n\r\n`)
  const answer = await text(socket)
  expect(answer.match(/\/\d+ /g)).toEqual(requests.map((_, index) => `/${index} `))
  expect(most).toBe(1)
})
