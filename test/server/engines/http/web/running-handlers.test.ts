import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { account, startTestServer } from '../../../../support/server.ts'

test('a stop waits for a sign-in whose browser disconnected: nothing is written to a closed database', async () => {
  const server = await startTestServer()
  await server.owner()
  const body = JSON.stringify({ email: account.email, password: account.password })
  const { host, port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST /api/appliance/v1/session HTTP/1.1\r\nhost: ${host}\r\nexpect: 100-continue\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  // The server has begun to answer.
  const [began] = (await once(socket, 'data')) as [Buffer]
  expect(began.toString()).toContain('100 Continue')
  socket.destroy()
  // Fails if the log holds an error.
  await server.stop()
})
