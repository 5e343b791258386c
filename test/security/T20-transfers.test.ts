import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { success, successOf } from '../../shared/dtos/hub-result.ts'
import { manualClock } from '../support/clock.ts'
import { base64, connectFileAgent, pieces, type FileAgent } from '../support/file-agent.ts'
import { startServerProcess, temporaryFolder, type ServerProcess } from '../support/server-process.ts'
import { registerOwner, useTestServer, type Member } from '../support/server.ts'
import { pause, until, within } from '../support/until.ts'
import { isNight } from '../support/night.ts'

const megabyte = 1024 * 1024

/** Maximum growth of the server's live memory while `work` runs, in bytes. A measurement collects garbage, which takes 100 ms. */
async function growthDuring(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const before = await server.liveBytes()
  let most = before
  let isDone = false
  const worked = work().finally(() => (isDone = true))
  while (!isDone) {
    most = Math.max(most, await server.liveBytes())
    await Promise.race([worked, pause(500)])
  }
  await worked
  return most - before
}

const addressOf = (owner: Member, device: FileAgent) =>
  `/api/v1/device-file-system/download/${device.id}?${new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a' })}`

/** Opens a response that is read only on demand. */
function open(owner: Member, path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(owner.url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, headers: { cookie: owner.cookie! } }, resolve)
    request.on('error', reject).end()
  })
}

/** Sizes in bytes of the scratch files in a folder that a process has open; they have no name there. */
const scratchSizes = (folder: string, pid: number | 'self' = 'self'): number[] =>
  readdirSync(`/proc/${pid}/fd`)
    .map((name) => `/proc/${pid}/fd/${name}`)
    .flatMap((file) => {
      try {
        return readlinkSync(file).startsWith(folder) ? [statSync(file).size] : []
      } catch {
        return []
      }
    })

describe('memory of the server', () => {
  test.runIf(isNight)(
    'does not grow with the unread output of a slow reader',
    async () => {
      const folder = await temporaryFolder()
      const server = await startServerProcess(folder)
      const owner = await registerOwner(server.url)
      const content = Buffer.alloc(20 * megabyte, 7)
      const device: FileAgent = await connectFileAgent(owner, {
        UploadFileToViewer: ({ streamId }) => {
          device.send('SendFileContentStream', [streamId], pieces(content))
          return successOf({ fileSize: content.length, fileDisplayName: 'a' })
        },
      })
      const leaveUnread = async (downloads: number) => {
        const responses = await Promise.all(
          Array.from({ length: downloads }, () => open(owner, addressOf(owner, device))),
        )
        // The rest is in the buffers of the sockets.
        await until(
          () =>
            process.platform !== 'linux' ||
            scratchSizes(folder, server.pid).filter((size) => size > 10 * megabyte).length === downloads,
        )
        responses.forEach((response) => response.destroy())
      }
      // Warm-up, so that memory which the process needs anyway is allocated.
      await leaveUnread(1)
      const growth = await growthDuring(server, () => leaveUnread(4))
      expect(growth / megabyte).toBeLessThan(20)
    },
    120_000,
  )

  test.runIf(isNight)(
    'does not grow with a directory of 220,000 entries, of which 200,000 are listed, and 64 MiB of long paths',
    async () => {
      const server = await startServerProcess(await temporaryFolder())
      const owner = await registerOwner(server.url)
      // Other members have defaults.
      const entry = { name: 'file', fullPath: '/srv/file', lastModified: '2026-01-02T03:04:05.678Z' }
      const batch = Array<object>(100).fill(entry)
      const longPaths = Array<object>(25).fill({ ...entry, fullPath: `/${'a'.repeat(32_000)}` })
      const device: FileAgent = await connectFileAgent(owner, {
        StreamDirectoryContents: ({ streamId, directoryPath }) => {
          if (directoryPath === '/long') {
            device.send('SendDirectoryContentsStream', [streamId, true], Array<object[]>(100).fill(longPaths))
            return success
          }
          const count = Number(directoryPath.slice(1)) / batch.length
          device.send('SendDirectoryContentsStream', [streamId, true], Array<object[]>(count).fill(batch))
          return success
        },
      })
      const list = async (name: number | 'long') => {
        const response = await owner.fetch(`/api/v1/device-file-system/contents?tenantId=${owner.tenantId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
          body: JSON.stringify({ deviceId: device.id, directoryPath: `/${name}` }),
        })
        let size = 0
        let end = ''
        for await (const chunk of response.body!) {
          size += (chunk as Uint8Array).length
          end = (end + Buffer.from(chunk as Uint8Array).toString()).slice(-50)
        }
        return { size, end }
      }
      // Warm-up, so that memory which the process needs anyway is allocated; a quarter of the size, so that full
      // buffering would show.
      expect((await list(50_000)).end).toMatch(/}]}$/)
      let listed = { size: 0, end: '' }
      const growth = await growthDuring(server, async () => (listed = await list(220_000)))
      expect(listed.size / megabyte).toBeGreaterThan(30)
      expect(listed.end).toMatch(/}],"isTruncated":true}$/)
      expect(growth / megabyte).toBeLessThan(20)

      const long = await list('long')
      expect(long.end).toMatch(/}],"isTruncated":true}$/)
      expect(Math.round(long.size / megabyte)).toBeGreaterThan(60)
      expect(long.size / megabyte).toBeLessThan(65)
    },
    120_000,
  )
})

describe('a reader that stops reading', () => {
  async function unread(size: number) {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const content = Buffer.alloc(size, randomBytes(1_000))
    const device: FileAgent = await connectFileAgent(
      owner,
      {
        UploadFileToViewer: ({ streamId }) => {
          device.send('SendFileContentStream', [streamId], pieces(content))
          return successOf({ fileSize: content.length, fileDisplayName: 'a' })
        },
        GetRootDrives: () => successOf({ drives: [] }),
      },
      clock,
    )
    const response = await open(owner, addressOf(owner, device))
    const askForDrives = () =>
      owner.deviceFileSystem.rootDrives({ body: { deviceId: device.id }, tenantId: owner.tenantId })
    return { clock, content, response, askForDrives }
  }

  test.runIf(isNight)('does not block the connection of its device, and can resume', async () => {
    const { clock, content, response, askForDrives } = await unread(30 * megabyte)
    // Bytes wait for the reader for moments, then they pass it by.
    const passing = setInterval(() => clock.advance(20), 20)
    expect(await askForDrives().finally(() => clearInterval(passing))).toEqual({ drives: [] })
    clock.advance(20_000)
    expect((await buffer(response)).equals(content)).toBe(true)
  })

  test.runIf(isNight)('loses its download 5 s after its spool is full', { timeout: 120_000 }, async () => {
    const { clock, response, askForDrives } = await unread(80 * megabyte)
    const cut = new Promise((resolve) => response.on('error', resolve))
    const passing = setInterval(() => clock.advance(200), 200)
    // The answer waits behind the file, and a question times out after half a minute.
    expect(await askForDrives().finally(() => clearInterval(passing))).toEqual({ drives: [] })
    response.resume()
    await within(5_000, cut)
  })
})

test('an agent that sends unrequested streams stays connected and can be used', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const device = await connectFileAgent(owner, { GetRootDrives: () => successOf({ drives: [] }) })
  const piece = base64(Buffer.alloc(30_000))
  for (let count = 0; count < 2_000; count++) {
    device.send('SendFileContentStream', [crypto.randomUUID()], count % 100 ? [] : Array<string>(20).fill(piece))
  }
  const listed = owner.deviceFileSystem.rootDrives({ body: { deviceId: device.id }, tenantId: owner.tenantId })
  expect(await within(10_000, listed)).toEqual({ drives: [] })
})

test('the slow uploads of an account do not delay others, and their files end with their clients', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const device = await connectFileAgent(owner)
  const { hostname, port } = new URL(owner.url)
  const uploads = 32
  const requests = Array.from({ length: uploads }, () => {
    const request = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: `/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`,
      headers: {
        cookie: owner.cookie!,
        origin: owner.url,
        'content-type': 'multipart/form-data; boundary=X',
        'content-length': 100_000,
      },
    })
    request.on('error', () => {})
    request.write('--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx')
    return request
  })
  const folder = join(server.directory, 'uploads')
  await until(() => process.platform !== 'linux' || scratchSizes(folder).length === uploads)
  await within(5_000, owner.devices.list({}))
  for (const request of requests) {
    request.destroy()
  }
  await until(() => process.platform !== 'linux' || scratchSizes(folder).length === 0)
})
