import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { expect } from 'vitest'
import { ApiError } from '../../shared/contract/client.ts'
import type { RealDevice } from './real-device.ts'
import type { Member } from './server.ts'
import { until } from './until.ts'

export const sha256Of = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Creates an upload of random bytes into a new folder of a device. */
export function uploadTo(by: Member, device: RealDevice, size: number) {
  const folder = device.path(`into-${randomUUID()}`)
  mkdirSync(folder)
  const content = new Uint8Array(randomBytes(size))
  const name = { targetDirectory: folder, fileName: 'a.bin', fileSize: size }
  const params = { deviceId: device.id, uploadId: randomUUID() }
  const path = (query: object) => {
    const search = new URLSearchParams(
      Object.entries({ ...name, ...query }).map(([key, value]): [string, string] => [key, String(value)]),
    )
    return `/api/appliance/v1/devices/${device.id}/uploads/${params.uploadId}?${search.toString()}`
  }
  const headers = { 'content-type': 'application/octet-stream' }
  return {
    folder,
    content,
    params,
    name,
    sha256: sha256Of(content),
    state: () => by.applianceDeviceUploads.state({ params, body: name }),
    cancel: () => by.applianceDeviceUploads.cancel({ params, body: name }),
    /** Sends the bytes from `offset` to `end`; resolves with status and body. */
    async send(offset: number, end = size, query: object = {}) {
      const body = content.subarray(offset, end)
      const response = await by.fetch(path({ offset, ...query }), { method: 'PUT', headers, body })
      return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
    },
    /** Starts to send and pauses in the middle; `leave` drops the connection. */
    begin(offset: number, end: number) {
      const { hostname, port } = new URL(by.url)
      const options = { hostname, port, method: 'PUT', path: path({ offset, sha256: sha256Of(content) }) }
      const length = { 'content-length': size - offset, cookie: by.cookie, origin: by.url }
      const request = httpRequest({ ...options, headers: { ...headers, ...length } })
      const status = new Promise<number | 'cut'>((resolve) =>
        request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', () => resolve('cut')),
      )
      request.write(content.subarray(offset, end))
      return { status, leave: () => void request.destroy() }
    },
    /** Waits until the device has received some of the upload. */
    begun: () =>
      until(() =>
        readdirSync(folder).some(
          (file) => file.endsWith('.farhand-part') && statSync(`${folder}/${file}`).size > size / 4,
        ),
      ),
    written: () => sha256Of(readFileSync(`${folder}/a.bin`)),
  }
}

/** Undefined for an error after which clients try again by themselves. */
function orAgain(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 500) {
    throw error
  }
}

/** Sends the rest of an upload from the offset that the device reports, and returns that offset. */
export async function endUpload(upload: ReturnType<typeof uploadTo>): Promise<number> {
  const { canResume, receivedBytes } = await until(() => upload.state().catch(orAgain))
  expect(canResume).toBe(true)
  const { sha256 } = upload
  const { status, answer } = await upload.send(receivedBytes, undefined, { sha256 })
  expect([status, answer]).toEqual([
    200,
    { canResume: true, receivedBytes: upload.content.length, isDone: true, sha256 },
  ])
  expect(upload.written()).toBe(sha256)
  expect(readdirSync(upload.folder)).toEqual(['a.bin'])
  return receivedBytes
}
