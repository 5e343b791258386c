import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { PacedRequests } from '../../../../../server/engines/http/web/paced-requests.ts'
import { InputBudget } from '../../../../../server/engines/flow/input-budget.ts'
import { steady, until } from '../../../../support/until.ts'

/** A connection to a server with paced requests. */
async function connectTo(handle: RequestListener) {
  const server = createServer(handle)
  new PacedRequests(new InputBudget(), () => '').watch(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return connect((server.address() as AddressInfo).port, '127.0.0.1')
}

const chunkOf = (length: number) => `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n`

test.each([
  ['one chunk', chunkOf(3_000), 3_000],
  ['many chunks', chunkOf(16_000).repeat(20), 320_000],
])('a connection takes the next request after a body of %s, however late it is read', async (_, chunks, length) => {
  const socket = await connectTo((request, response) => {
    const answer = async () => {
      await steady(() => request.readableLength)
      let bytes = 0
      for await (const chunk of request) {
        bytes += (chunk as Buffer).length
        await steady(() => request.readableLength, 2)
      }
      response.end(`answered ${bytes}`)
    }
    void answer()
  })
  let answers = ''
  socket.setEncoding('utf8').on('data', (answer: string) => (answers += answer))
  for (const path of ['/first', '/second']) {
    answers = ''
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
    await until(() => answers.includes(`answered ${length}`))
  }
  socket.destroy()
})

test('pipelined requests are handled one at a time, and answered in order', async () => {
  let running = 0
  let most = 0
  const socket = await connectTo((request, response) => {
    most = Math.max(most, ++running)
    setImmediate(() => {
      running--
      response.end(`${request.url} `)
    })
  })
  const requests = Array.from({ length: 20 }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n`)
  socket.write(`${requests.slice(0, -1).join('\r\n')}\r\n${requests.at(-1)}Connection: close\r\n\r\n`)
  const answer = await text(socket)
  expect(answer.match(/\/\d+ /g)).toEqual(requests.map((_, index) => `/${index} `))
  expect(most).toBe(1)
})
