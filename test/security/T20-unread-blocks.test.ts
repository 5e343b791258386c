import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { collectGarbage } from '../support/collect-garbage.ts'
import { blockAddress, makeRecording } from '../support/recorded-session.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { serverForFile } from '../support/server.ts'
import { callerOf } from '../support/session.ts'

const server = serverForFile()
const megabyte = 1024 * 1024

/** Asks for something, and reads nothing of the answer, which has begun. */
async function ask(path: string, headers: Record<string, string>) {
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const lines = Object.entries({ ...headers, Host: host, Connection: 'close' })
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  await once(socket, 'readable')
}

test('blocks of a recording that nobody reads are not held whole', async () => {
  const owner = await server.owner()
  const agent = await recordingAgent(owner)
  const caller = await callerOf(owner)
  const { id } = await makeRecording(owner, caller, agent, ['x'.repeat(8 * megabyte)])
  const reading = await owner.applianceRecordings.read({ params: { recordingId: id } })
  const index = reading.blocks.findIndex(({ bytes }) => bytes > 7 * megabyte)
  const usedBytes = async () => {
    await collectGarbage()
    return process.memoryUsage().arrayBuffers
  }
  const before = await usedBytes()
  for (let count = 0; count < 8; count++) {
    await ask(blockAddress(id, reading.id, index), owner.headers)
  }
  expect((await usedBytes()) - before).toBeLessThan(25 * megabyte)
})
