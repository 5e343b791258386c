import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { listOf, sendList, sendParts } from '../../../../../server/engines/http/contract/list.ts'
import { TimeSlice } from '../../../../../server/ground/clock.ts'
import { sendResult } from '../../../../../server/engines/http/contract/send-result.ts'
import { HttpServer } from '../../../../../server/engines/http/web/http-server.ts'
import { isNight } from '../../../../support/night.ts'
import { steady } from '../../../../support/until.ts'

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

test.runIf(isNight)('lists sent at the same time from reused buffers contain only their own items', async () => {
  const server = new HttpServer({}, (request, response) => {
    void sendList(response, listOf(itemsOf(request.url!.slice(1))), { status: 200, headers: [] })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  for (let round = 0; round < 2; round++) {
    const letters = ['a', 'b']
    const lists = await Promise.all(letters.map((letter) => read(port, letter)))
    expect(lists.map((list, index) => JSON.stringify(list) === JSON.stringify(itemsOf(letters[index]!)))).toEqual(
      letters.map(() => true),
    )
  }
})

test('clients that read kept parts at the same time, some late, get the whole list', async () => {
  const parts = Array.from({ length: 120 }, (_, index) =>
    Buffer.from(`${index === 0 ? '[' : ','}${JSON.stringify('x'.repeat(100_000))}${index === 119 ? ']' : ''}`),
  )
  const server = new HttpServer({}, (_, response) => {
    void sendParts(response, parts, { status: 200, headers: [] })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const lists = await Promise.all([read(port, 'a'), read(port, 'b')])
  expect(lists.map((list) => (list as string[]).length)).toEqual([120, 120])
})

test('undeclared members are left out of long lists and their items', async () => {
  const item = z.object({ id: z.number(), ids: z.array(z.string()) })
  const definition = {
    method: 'GET',
    path: '/',
    summary: '',
    access: 'anonymous',
    tenant: 'none',
    response: z.object({ items: z.array(item), members: z.array(item), total: z.number() }),
  } as const
  const many = (ids: number) =>
    Array.from({ length: 300 }, (_, id) => ({ id, ids: Array<string>(ids).fill('a'), secret: 1 }))
  const result = { items: many(1), members: many(200), total: 2, secret: 1 }
  const server = new HttpServer({}, (request, response) => {
    const input = { params: undefined, query: undefined, body: undefined, tenantId: '' }
    void sendResult(request, response, { definition, input, result, isStrict: false, slice: new TimeSlice() })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await (await fetch(`http://127.0.0.1:${port}/`)).json()
  const { secret: _, ...declared } = result
  const without = (list: ReturnType<typeof many>) => list.map(({ secret: __, ...rest }) => rest)
  expect(answer).toEqual({ ...declared, items: without(result.items), members: without(result.members) })
})
