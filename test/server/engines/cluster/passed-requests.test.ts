import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Hops, proofHeader } from '../../../../server/engines/cluster/hop.ts'
import { ClusterProxy } from '../../../../server/engines/cluster/proxy.ts'
import { systemClock } from '../../../../server/ground/clock.ts'

const hops = new Hops({
  clock: systemClock,
  sign: (text, purpose) => createHmac('sha256', 'key').update(`${purpose} ${text}`).digest(),
})

/** Serves on a free port; returns the address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const proxy = () => {
  const made = new ClusterProxy({
    authorityPem: () => Promise.reject(new Error('No TLS here.')),
    headersFor: () => ({}),
  })
  onTestFinished(() => made.close())
  return made
}

test('a request that is only read passes on no header of a body, and its connection serves no other client (T40)', async () => {
  const seen: IncomingHttpHeaders[] = []
  const back = await serve(({ headers }, response) => {
    seen.push(headers)
    response.end('[]')
  })
  const reader = proxy()
  const front = await serve((incoming, response) => {
    void reader.read(back, incoming).then((answer) => response.end(answer?.body))
  })
  const unfinished = request(front, { headers: { 'content-length': 100, 'if-none-match': 'x', cookie: 'a=b' } })
  onTestFinished(() => void unfinished.destroy())
  unfinished.flushHeaders()
  const [answer] = await once(unfinished, 'response')
  expect(answer.statusCode).toBe(200)
  expect(seen).toMatchObject([{ cookie: 'a=b' }])
  expect(Object.keys(seen[0]!)).not.toContain('content-length')
  expect(Object.keys(seen[0]!)).not.toContain('if-none-match')
})

describe('the question whether a server is alive', () => {
  const ask = (url: string) => proxy().isAnswering(url, hops.questionTo('two', 'one'), 5_000)

  test('is answered by that server', async () => {
    const url = await serve((incoming, response) => {
      response.setHeader(proofHeader, hops.answerTo(incoming, 'two') ?? '')
      response.end()
    })
    expect(await ask(url)).toBe(true)
  })

  test.for([
    ['a program that took its port', () => 'anything'],
    ['another server, to which such a program passes it on', (incoming) => hops.answerTo(incoming, 'three') ?? ''],
  ] satisfies [string, (incoming: Parameters<RequestListener>[0]) => string][])(
    'is not answered by %s',
    async ([, proofOf]) => {
      const url = await serve((incoming, response) => {
        response.setHeader(proofHeader, proofOf(incoming))
        response.end()
      })
      expect(await ask(url)).toBe(false)
    },
  )
})
