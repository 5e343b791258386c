import { connect } from 'node:net'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { maxNotePictureBytes } from '../../shared/api/appliance-device-notes.ts'
import { serverForFile } from '../support/server.ts'
import { addDevices } from '../support/stored.ts'
import { until } from '../support/until.ts'

const server = serverForFile()

/** Asks for something, and reads nothing of the answer until `read`, which returns its length in bytes. */
function ask(path: string, headers: Record<string, string>) {
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).pause()
  onTestFinished(() => void socket.destroy())
  const ended = new Promise<number>((resolve) => socket.once('close', () => resolve(socket.bytesRead)))
  socket.on('error', () => {})
  const lines = Object.entries({ ...headers, Host: host, Connection: 'close' })
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  return {
    read: () => {
      socket.resume()
      return ended
    },
  }
}

test('answers that an account does not read hold 32 MiB at most: the oldest are dropped, and others are answered', async () => {
  const owner = await server.owner()
  const deviceId = (await addDevices(server, owner.tenantId, 1))[0]!.id
  const { id: noteId } = await owner.applianceDeviceNotes.add({ params: { deviceId }, body: { text: 'A picture.' } })
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
  const png = await picture.png().toBuffer()
  const path = `/api/appliance/v1/devices/${deviceId}/notes/${noteId}/picture`
  await owner.fetch(path, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(Buffer.concat([png, Buffer.alloc(maxNotePictureBytes - png.length)])),
  })
  const readers = Array.from({ length: 60 }, () => ask(path, owner.headers))
  await until(async () => {
    // Counted with the next request.
    await fetch(`${server.url}/openapi`)
    return (await readers.shift()!.read()) < maxNotePictureBytes
  })
  expect(await readers.at(-1)!.read()).toBeGreaterThan(maxNotePictureBytes)
})
