import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { rawRequest } from '../support/raw-request.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const odd = ['localhost:99999', '127.0.0.1:0x50', '[::1', '1.2.3.4.5.6', 'a b']
const paths = ['/', '/health', '/api/v1/version/server', '/hubs/agent', '/relay', '/device-access', '/nothing']

test.each(odd)('a request to the host %s is 400 everywhere', async (host) => {
  const statuses = paths.map(async (path) => (await rawRequest(server.url, path, { headers: { host } })).status)
  expect(await Promise.all(statuses)).toEqual(paths.map(() => 400))
})

test('a connection to a malformed host is rejected, and the Network page stays readable', async () => {
  for (const path of ['/hubs/agent', '/relay?sessionId=1&accessToken=1&role=responder']) {
    const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers: { host: 'localhost:99999' } })
    socket.on('error', () => {})
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    expect(response.statusCode).toBe(400)
  }
  expect((await owner.fetch('/api/appliance/v1/network')).status).toBe(200)
})
