import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { addMember } from '../support/people.ts'
import { blockAddress, makeRecording } from '../support/recorded-session.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { callerOf } from '../support/session.ts'

const server = serverForFile()
const owner = ownerForFile(server)
const megabyte = 1024 * 1024

test('T29: a block of a recording that is being read ends with the account of its reader', async () => {
  const agent = await recordingAgent(owner)
  const { id } = await makeRecording(owner, await callerOf(owner), agent, ['x'.repeat(24 * megabyte)])
  const reader = await addMember(server, owner.tenantId, ['appliance.recordings.read'])
  const { id: readingId, blocks } = await reader.applianceRecordings.read({ params: { recordingId: id } })
  const index = blocks.findIndex(({ bytes }) => bytes > 20 * megabyte)
  expect(index).toBeGreaterThan(-1)
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(socket.bytesRead)))
  const lines = Object.entries({ ...reader.headers, Host: host, Connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`GET ${blockAddress(id, readingId, index)} HTTP/1.1\r\n${head}\r\n`)
  await once(socket, 'readable')
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: reader.user.id } })
  socket.resume()
  expect(await closed).toBeLessThan(20 * megabyte)
})
