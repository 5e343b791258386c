import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listOf, sendList } from '../../../../server/http/contract/list.ts'
import { HttpServer } from '../../../../server/http/web/http-server.ts'
import { steady } from '../../../support/until.ts'

const itemsOf = (letter: string) => Array.from({ length: 12_000 }, () => letter.repeat(1_000))

/** Reads a list of 12 MB late: more than the system buffers, so the server has to wait. */
async function read(port: number, letter: string): Promise<unknown> {
  const request = get({ port, path: `/${letter}`, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  await steady(() => response.socket.bytesRead)
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}

test('lists sent at the same time from reused buffers contain only their own items', async () => {
  const server = new HttpServer({}, (request, response) => {
    void sendList(response, listOf(itemsOf(request.url!.slice(1))), { status: 200, headers: [] })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  for (let round = 0; round < 2; round++) {
    const letters = ['a', 'b', 'c', 'd']
    const lists = await Promise.all(letters.map((letter) => read(port, letter)))
    expect(lists.map((list, index) => JSON.stringify(list) === JSON.stringify(itemsOf(letters[index]!)))).toEqual(
      letters.map(() => true),
    )
  }
})
