import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { serverForFile } from '../support/server.ts'
import { steady, until } from '../support/until.ts'

const server = serverForFile()
const requestStart = 'http.server.request.start'

/** The next request to the server, which is in this process. */
function nextRequest(): Promise<IncomingMessage> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
  const note = (message: unknown) => resolve((message as { request: IncomingMessage }).request)
  subscribe(requestStart, note)
  return promise.finally(() => unsubscribe(requestStart, note))
}

test('T40: of a body in chunks of one byte that nobody reads, the server keeps a few thousand', async () => {
  const negotiated = await fetch(`${server.url}/hubs/agent/negotiate?negotiateVersion=1`, { method: 'POST' })
  const { connectionToken } = (await negotiated.json()) as { connectionToken: string }
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const received = nextRequest()
  // Events for the agent, an answer that does not end.
  const headers = [`Host: ${host}`, 'Accept: text/event-stream', 'Transfer-Encoding: chunked']
  socket.write(`GET /hubs/agent?id=${connectionToken} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  const request = await received
  socket.write('1\r\na\r\n'.repeat(100_000))
  // Each takes 220 bytes of memory besides its own.
  await until(() => request.readableLength > 0)
  expect(await steady(() => request.readableLength)).toBeLessThan(20_000)
  expect(socket.destroyed).toBe(false)
})
