import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { success } from '../../shared/dtos/hub-result.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { connectFileAgent, type FileAgent } from '../support/file-agent.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const count = 1_000
const requestStart = 'http.server.request.start'

interface Received {
  /** Socket of the server, in this process. */
  socket: Socket
  /** Chunks of the body as Node gives them to the server. */
  chunks: WeakRef<Buffer>[]
}

/** Follows the next request to a path. */
function receivedAt(path: string): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>()
  const note = (message: unknown) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }
    if (request.url === path) {
      unsubscribe(requestStart, note)
      const chunks: WeakRef<Buffer>[] = []
      const push = request.push.bind(request)
      request.push = (chunk: Buffer | null) => {
        if (chunk) {
          chunks.push(new WeakRef(chunk))
        }
        return push(chunk)
      }
      resolve({ socket, chunks })
    }
  }
  subscribe(requestStart, note)
  return promise
}

/** Number of chunks that the server keeps of a body whose beginning it reads byte by byte. */
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
  const received = receivedAt(path)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${start.length.toString(16)}\r\n`)
  const { socket: reader, chunks } = await received
  for (const packet of [Buffer.concat([start, Buffer.from('\r\n')]), ...Array<string>(count).fill('1\r\na\r\n')]) {
    socket.write(packet)
    // The system would join packets that the server has not read.
    while (reader.bytesRead < socket.bytesWritten) {
      await new Promise(setImmediate)
    }
  }
  await collectGarbage()
  expect(socket.bytesRead).toBe(0)
  expect(chunks.length).toBeGreaterThan(count)
  return chunks.filter((chunk) => chunk.deref()).length
}

test('bodies that are kept whole keep no chunks when they arrive byte by byte', async () => {
  const { id: deviceId } = await recordingAgent(owner)
  const { id: noteId } = await owner.applianceDeviceNotes.add({ params: { deviceId }, body: { text: 'A picture.' } })
  const device = `/api/appliance/v1/devices/${deviceId}`
  const listBytes = Buffer.from([0, 8, 0, 0])
  for (const [method, path, start] of [
    ['PUT', `${device}/notes/${noteId}/picture`, Buffer.from('a')],
    ['POST', `${device}/small-uploads?tenantId=${owner.tenantId}`, listBytes],
  ] as const) {
    expect(await keptOf(method, path, start)).toBeLessThan(count / 10)
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
