import { once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Hops, proofHeader } from '../../../../server/engines/cluster/hop.ts'
import { ClusterProxy } from '../../../../server/engines/cluster/proxy.ts'
import { systemClock } from '../../../../server/ground/clock.ts'
import { clusterSecret } from '../../../support/cluster-secret.ts'

/** Hops of a server. */
const hopsOf = (id: string, { ageMs = 0 } = {}) =>
  new Hops({ id, clock: { ...systemClock, now: () => Date.now() - ageMs }, secret: clusterSecret })

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
    headersTo: (server, incoming) => hopsOf('one').headersTo(server, incoming, '203.0.113.9'),
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
    void reader.read({ id: 'two', url: back }, incoming).then((answer) => response.end(answer?.body))
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

/** Errors of this process that nobody listens to: each would end a server. */
function uncaughtErrors(): unknown[] {
  const errors: unknown[] = []
  const note = (error: unknown) => void errors.push(error)
  process.on('uncaughtException', note)
  onTestFinished(() => void process.off('uncaughtException', note))
  return errors
}

test('a client that leaves while another server is connected for it raises no error in this one', async () => {
  const back = await serve((_, response) => response.end())
  const passing = proxy()
  const errors = uncaughtErrors()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const front = await serve((incoming, response) => {
    response.destroy()
    resolve(passing.pass({ id: 'two', url: back }, incoming, response))
  })
  await expect(fetch(front)).rejects.toThrow('fetch failed')
  expect(await promise).toBe(true)
  expect((await fetch(back)).status).toBe(200)
  expect(errors).toEqual([])
})

test('a server that breaks off its answer ends the reading and raises no other error', async () => {
  const back = await serve((_, response) => {
    response.write('begun', () => response.socket?.resetAndDestroy())
  })
  const errors = uncaughtErrors()
  const answer = await proxy().ask(back, '/', {})
  await expect(text(answer)).rejects.toThrow('aborted')
  await expect(fetch(back).then((other) => other.text())).rejects.toThrow('terminated')
  expect(errors).toEqual([])
})

test('a request that is answered before its body has come leaves its connection to no other client', async () => {
  const seen: string[] = []
  const back = await serve(({ method, url, socket }, response) => {
    seen.push(`${method} ${url} ${socket.remotePort}`)
    response.writeHead(413, { 'content-length': 3 }).end('big')
  })
  const passing = proxy()
  const front = await serve((incoming, response) => void passing.pass({ id: 'two', url: back }, incoming, response))
  const unfinished = request(front, { method: 'POST', path: '/first', headers: { 'content-length': 100 } })
  onTestFinished(() => void unfinished.destroy())
  unfinished.write('x')
  const [answer] = await once(unfinished, 'response')
  expect(answer.statusCode).toBe(413)
  // Later bytes of the first client must not begin the request of the second one.
  unfinished.write('x'.repeat(50))
  expect((await fetch(`${front}/second`)).status).toBe(413)
  expect(seen.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['POST /first', 'GET /second'])
  expect(new Set(seen.map((line) => line.split(' ')[2])).size).toBe(2)
})

test('a request with an Upgrade header that is passed on as a plain request loses that header', async () => {
  const seen: IncomingHttpHeaders[] = []
  const back = await serve(({ headers }, response) => {
    seen.push(headers)
    response.end()
  })
  const passing = proxy()
  const front = await serve((incoming, response) => void passing.pass({ id: 'two', url: back }, incoming, response))
  const asked = request(front, { headers: { upgrade: 'websocket', 'x-forwarded-for': '198.51.100.1' } })
  asked.end()
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(200)
  expect(seen).toMatchObject([{ connection: 'keep-alive', 'x-forwarded-for': '203.0.113.9' }])
  expect(seen[0]!.upgrade).toBeUndefined()
})

describe('the client address in a hop', () => {
  const passedOn = (headers: IncomingHttpHeaders, change: Partial<IncomingMessage> = {}) =>
    ({ method: 'GET', url: '/api/v1/devices', headers, ...change }) as IncomingMessage
  const told = (ageMs = 0) =>
    hopsOf('one', { ageMs }).headersTo('two', { method: 'GET', url: '/api/v1/devices' }, '203.0.113.9')

  test('a hop for this server is accepted', () => {
    const seen = passedOn(told())
    expect(hopsOf('two').of(seen)).toEqual({ from: 'one', address: '203.0.113.9' })
    expect(hopsOf('two').isUnverified(seen)).toBe(false)
  })

  test.for([
    ['for another server', hopsOf('three'), passedOn(told())],
    ['for another path', hopsOf('two'), passedOn(told(), { url: '/api/v1/tags' })],
    ['for another method', hopsOf('two'), passedOn(told(), { method: 'DELETE' })],
    ['of six minutes ago', hopsOf('two'), passedOn(told(6 * 60_000))],
    ['that a client wrote', hopsOf('two'), passedOn({ 'x-farhand-hop': `${Date.now()} one AAAA 203.0.113.9` })],
  ] satisfies [string, Hops, IncomingMessage][])('a hop %s does not verify', ([, hops, seen]) => {
    expect(hops.of(seen)).toBeUndefined()
    expect(hops.isUnverified(seen)).toBe(true)
  })
})

describe('the question whether a server is alive', () => {
  const ask = (url: string) => proxy().isAnswering(url, hopsOf('one').questionTo('two'), 5_000)

  test('is answered by that server', async () => {
    const url = await serve((incoming, response) => {
      response.setHeader(proofHeader, hopsOf('two').answerTo(incoming) ?? '')
      response.end()
    })
    expect(await ask(url)).toBe(true)
  })

  test.for([
    ['a program that took its port', () => 'anything'],
    ['another server, to which such a program passes it on', (incoming) => hopsOf('three').answerTo(incoming) ?? ''],
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
