import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpServer } from '../../../../../server/engines/http/web/http-server.ts'
import { endpointFor, listenForUpgrades } from '../../../../../server/engines/http/web/upgrade.ts'
import { collectGarbage } from '../../../../support/collect-garbage.ts'
import { createTestLog } from '../../../../support/log.ts'
import { until } from '../../../../support/until.ts'

test('an upgraded socket does not keep its request in memory', async () => {
  const server = createServer()
  let seen: WeakRef<IncomingMessage> | undefined
  const upgrade = (request: IncomingMessage) => {
    seen = new WeakRef(request)
  }
  listenForUpgrades(server, {
    endpoints: [{ path: '/hub', request: () => {}, upgrade }],
    log: createTestLog(),
    detach: () => Buffer.alloc(0),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.write('GET /hub HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await until(() => seen)
  await until(async () => {
    await collectGarbage()
    return seen?.deref() === undefined
  })
  expect(client.destroyed).toBe(false)
})

/** Sends requests on one connection, each after the answer of the one before, and returns all that comes back. */
async function answersTo(requests: readonly string[]): Promise<string> {
  const server = new HttpServer({}, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => response.end(`${request.method} ${request.url} ${body};`))
  })
  listenForUpgrades(server, { endpoints: [], log: createTestLog(), detach: () => Buffer.alloc(0) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  let seen = ''
  client.setEncoding('latin1').on('data', (chunk: string) => (seen += chunk))
  for (const [index, request] of requests.entries()) {
    client.write(request)
    await until(() => seen.split('HTTP/1.1 ').length === index + 2 && /;$|404/.test(seen))
  }
  return seen
}

test.each(['h2c', 'TLS/1.2', 'HTTP/2.0, h2c'])('an offer of %s is ignored, on each request', async (offer) => {
  const head = `Host: here\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${offer}\r\nHTTP2-Settings: AAMAAABk\r\n`
  const seen = await answersTo([
    `GET /first HTTP/1.1\r\n${head}\r\n`,
    `POST /second HTTP/1.1\r\n${head}Content-Length: 5\r\n\r\nhello`,
    `GET /third HTTP/1.1\r\n${head}\r\n`,
  ])
  expect(seen.match(/(GET|POST) \/[^;]*;/g)).toEqual(['GET /first ;', 'POST /second hello;', 'GET /third ;'])
})

test('an offer of WebSocket at an unknown path is rejected', async () => {
  const seen = await answersTo(['GET /a HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n'])
  expect(seen).toMatch(/^HTTP\/1.1 404/)
})

test('an endpoint with names below its path gets no other address below the path', () => {
  const hub = { path: '/hub', below: ['negotiate'], request() {} }
  const found = (path: string) => endpointFor([hub], path) === hub
  expect(['/hub', '/HUB/', '/hub/negotiate', '/hub/Negotiate/'].filter((path) => !found(path))).toEqual([])
  expect(['/hub/x', '/hub/negotiate/x', '/hubs', '/'].filter(found)).toEqual([])
})
