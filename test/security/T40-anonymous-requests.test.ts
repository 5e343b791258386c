import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { longestTurnMs } from '../support/turns.ts'
import { useTestServer, type TestServer } from '../support/server.ts'

const mebibyte = 1024 * 1024

/** Opens a connection for handwritten requests. */
async function openRaw(server: TestServer) {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const chunked = (headers = '') =>
  `POST /api/agent/devices HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Type: application/json\r\n` +
  'Transfer-Encoding: chunked\r\n\r\n'
const tinyChunk = '1\r\n \r\n'
const tinyChunks = tinyChunk.repeat(mebibyte / tinyChunk.length)
const pipelined = 'GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('no turn of the event loop takes long with 1 MiB of body in chunks of 1 byte', async () => {
  const server = await useTestServer()
  const stranger = await openRaw(server)
  let isOver = false
  stranger.resume().once('close', () => (isOver = true))
  stranger.write(chunked() + tinyChunks)
  expect(await longestTurnMs(() => isOver)).toBeLessThan(20)
})

test(
  'no turn of the event loop takes long with 10,000 requests in one go, and all are answered',
  { timeout: 60_000 },
  async () => {
    const server = await useTestServer()
    const stranger = await openRaw(server)
    const count = 10_000
    let answers = 0
    stranger.setEncoding('latin1').on('data', (text: string) => (answers += text.split('HTTP/1.1 200').length - 1))
    stranger.write(pipelined.repeat(count))
    expect(await longestTurnMs(() => answers >= count)).toBeLessThan(20)
    expect(answers).toBe(count)
  },
)
