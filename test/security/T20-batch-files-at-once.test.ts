import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addDevices } from '../support/stored.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

/** Number of scratch files that the server, in this process, has open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(join(server.directory, 'uploads'))
    } catch {
      return false
    }
  }).length

/** Begins a file that never ends. */
function begin(answers: string[]) {
  const { host, hostname, port } = new URL(server.url)
  const headers = {
    ...owner.headers,
    Host: host,
    'Content-Type': 'application/octet-stream',
    'Transfer-Encoding': 'chunked',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).once('data', (answer: Buffer) => answers.push(answer.toString().slice(0, 12)))
  socket.write(`POST /api/appliance/v1/batch-files?fileName=a HTTP/1.1\r\n${lines.join('')}\r\n1\r\na\r\n`)
  return socket
}

test('files for batches that arrive count like stored ones, and one that breaks off gives its place back', async () => {
  await addDevices(server, owner.tenantId, 1)
  const answers: string[] = []
  const sockets = Array.from({ length: 101 }, () => begin(answers))
  await until(() => openFiles() + answers.length === sockets.length)
  expect(answers).toEqual(['HTTP/1.1 409'])
  sockets.forEach((socket) => socket.destroy())
  await until(() => openFiles() === 0)
  begin(answers)
  await until(() => openFiles() === 1)
})
