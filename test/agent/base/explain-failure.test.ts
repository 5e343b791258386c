import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { expect, onTestFinished, test } from 'vitest'
import { explainFailure } from '../../../agent/base/explain-failure.ts'

test.each([
  [200, 'A proxy on the way does not pass WebSockets on'],
  [400, 'A proxy on the way does not pass WebSockets on'],
  [404, 'A proxy on the way does not pass WebSockets on'],
  [502, 'a proxy on the way answered 502: it does not reach the server'],
  [503, 'Unexpected server response: 503'],
])('an answer of %i to a WebSocket is explained', async (status, sentence) => {
  // A proxy without upgrades passes the request on as any other.
  const proxy = createServer((_, response) => response.writeHead(status).end())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  const [error] = (await once(new WebSocket(`ws://127.0.0.1:${port}`), 'error').catch((thrown: unknown) => [
    thrown,
  ])) as [Error]
  expect(await explainFailure(`http://127.0.0.1:${port}`, error)).toContain(sentence)
})
