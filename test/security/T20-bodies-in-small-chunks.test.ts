import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { success } from '../../shared/dtos/hub-result.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { connectFileAgent, type FileAgent } from '../support/file-agent.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { steady } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const count = 20_000

async function usedBytes() {
  await collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Memory that the server, in this process, keeps for a body whose beginning arrives in packets of one byte. */
async function keptOf(method: string, path: string, start: Buffer) {
  const { host, hostname, port } = new URL(server.url)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const headers = {
    ...owner.headers,
    Host: host,
    'Content-Type': 'application/octet-stream',
    'Transfer-Encoding': 'chunked',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${start.length.toString(16)}\r\n`)
  socket.write(Buffer.concat([start, Buffer.from('\r\n')]))
  await steady(() => socket.writableLength)
  const before = await usedBytes()
  for (let sent = 0; sent < count; sent++) {
    socket.write('1\r\na\r\n')
    // The server reads each packet for itself.
    await new Promise(setImmediate)
  }
  await steady(() => socket.writableLength)
  expect(socket.bytesRead).toBe(0)
  return (await usedBytes()) - before
}

test('bodies that are kept whole take about their own size of memory when they arrive byte by byte', async () => {
  const { id: deviceId } = await recordingAgent(owner)
  const { id: noteId } = await owner.applianceDeviceNotes.add({ params: { deviceId }, body: { text: 'A picture.' } })
  const device = `/api/appliance/v1/devices/${deviceId}`
  const listBytes = Buffer.from([0, 8, 0, 0])
  for (const [method, path, start] of [
    ['PUT', `${device}/notes/${noteId}/picture`, Buffer.from('a')],
    ['POST', `${device}/small-uploads?tenantId=${owner.tenantId}`, listBytes],
  ] as const) {
    expect(await keptOf(method, path, start)).toBeLessThan(150 * count)
  }
})

test('fields of a form that follow its file in thousands of chunks are refused, a file in such chunks is not', async () => {
  const device: FileAgent = await connectFileAgent(owner, {
    DownloadFileFromViewer: async (request) => {
      await device.fetch(request)
      return success
    },
  })
  const path = `/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`
  const part = (name: string) => `\r\n--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`
  const send = async (file: readonly string[], folder: readonly string[]) => {
    const chunks = [part('file"; filename="a'), ...file, part('targetSaveDirectory'), ...folder, '\r\n--x--\r\n']
    const answer = await owner.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
      duplex: 'half',
    } as unknown as RequestInit)
    return { status: answer.status, text: await answer.text() }
  }
  const many = Array.from({ length: 10_000 }, () => 'a')
  expect(await send(many, ['/srv'])).toMatchObject({ status: 200 })
  expect(await send(['a'], many)).toEqual({ status: 400, text: expect.stringContaining('its fields are too long') })
})
