import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { failure, successOf } from '../../../shared/dtos/hub-result.ts'
import { freshTimestamp } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { base64, connectFileAgent, pieces, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { later, until } from '../../support/until.ts'

const limit = 200_000
const minute = 60_000

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__MaxFileTransferSize: String(limit) } })
const owner = ownerForFile(server)

/** Connects an agent whose handlers may send streams. */
async function online(handlers: (device: () => FileAgent) => AgentHandlers) {
  const device: FileAgent = await connectFileAgent(
    owner,
    handlers(() => device),
    clock,
  )
  return device
}

const address = (device: FileAgent, filePath = '/tmp/a.bin', operation = 'download', rest = '') =>
  `/api/v1/device-file-system/${operation}/${device.id}${rest}?${new URLSearchParams({ tenantId: owner.tenantId, filePath })}`

const offering = (content: Buffer, name = 'a.bin', announced = content.length) =>
  online((device) => ({
    UploadFileToViewer: ({ streamId }) => {
      device().send('SendFileContentStream', [streamId], pieces(content))
      return successOf({ fileSize: announced, fileDisplayName: name })
    },
  }))

async function problemOf(response: Response) {
  const { detail, title, code } = (await response.json()) as { detail?: string; title: string; code?: string }
  return { status: response.status, title, detail, code }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('a downloaded file', () => {
  test.each([0, 1, 30_720, 100_001, limit])('of %i bytes arrives unchanged', async (size) => {
    const content = randomBytes(size)
    const device = await offering(content)
    const response = await owner.fetch(address(device))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(size),
      'content-disposition': "attachment; filename=a.bin; filename*=UTF-8''a.bin",
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
    })
    expect((await bytesOf(response)).equals(content)).toBe(true)
  })

  test('that grows while it is sent ends at the announced length', async () => {
    const content = randomBytes(70_000)
    const response = await owner.fetch(address(await offering(content, 'a.log', 50_000)))
    expect(response.headers.get('content-length')).toBe('50000')
    expect((await bytesOf(response)).equals(content.subarray(0, 50_000))).toBe(true)
  })

  test('of an announced size of 0, as below /proc, arrives whole and without a length', async () => {
    const content = randomBytes(70_000)
    const response = await owner.fetch(address(await offering(content, 'meminfo', 0)))
    expect(response.headers.get('content-length')).toBeNull()
    expect((await bytesOf(response)).equals(content)).toBe(true)
  })

  test('one byte over the limit is 413', async () => {
    const device = await offering(Buffer.alloc(limit + 1))
    expect(await problemOf(await owner.fetch(address(device)))).toEqual({
      status: 413,
      title: 'Content Too Large',
      detail: `File size exceeds the maximum allowed size of ${limit} bytes.`,
    })
  })

  test('may be sent before or after the agent answers', async () => {
    const content = randomBytes(90_000)
    for (const delay of [-30, 30]) {
      const device = await online((self) => ({
        UploadFileToViewer: async ({ streamId }) => {
          const send = () => self().send('SendFileContentStream', [streamId], pieces(content))
          if (delay > 0) {
            later(delay, send)
          } else {
            send()
            await new Promise<void>((resolve) => later(-delay, resolve))
          }
          return successOf({ fileSize: content.length, fileDisplayName: 'a.bin' })
        },
      }))
      expect((await bytesOf(await owner.fetch(address(device)))).equals(content)).toBe(true)
    }
  })

  test('arrives at its own reader when many are sent at once', async () => {
    const contents = new Map(Array.from({ length: 20 }, (_, index) => [`/tmp/${index}`, randomBytes(50_000)]))
    const device = await online((self) => ({
      UploadFileToViewer: ({ streamId, filePath }) => {
        const content = contents.get(filePath)!
        self().send('SendFileContentStream', [streamId], pieces(content, 7_000))
        return successOf({ fileSize: content.length, fileDisplayName: 'a' })
      },
    }))
    const answers = await Promise.all(
      [...contents.keys()].map((path) => owner.fetch(address(device, path)).then(bytesOf)),
    )
    expect(answers.map((answer, index) => answer.equals([...contents.values()][index]!))).not.toContain(false)
  })

  test('has its size answered to HEAD', async () => {
    const device = await offering(Buffer.alloc(90_000))
    const response = await owner.fetch(address(device), { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '90000'])
  })
})

describe('a body unlike its announcement', () => {
  test('too short ends as a broken connection', async () => {
    const device = await offering(Buffer.alloc(50_000), 'a.bin', 60_000)
    await expect(owner.fetch(address(device)).then(bytesOf)).rejects.toThrow(/terminated|fetch failed/)
  })

  test('without any byte is answered with a problem', async () => {
    const device = await offering(Buffer.alloc(0), 'a.bin', 10)
    const response = await owner.fetch(address(device))
    expect(await problemOf(response)).toMatchObject({ status: 500, detail: 'The device sent less than it announced.' })
    expect(response.headers.get('content-disposition')).toBeNull()
  })

  test('whose stream the agent breaks off ends as a broken connection', async () => {
    const device = await online((self) => ({
      UploadFileToViewer: ({ streamId }) => {
        self().send('SendFileContentStream', [streamId], pieces(Buffer.alloc(60_000)), new Error('disk'))
        return successOf({ fileSize: 90_000, fileDisplayName: 'a' })
      },
    }))
    await expect(owner.fetch(address(device)).then(bytesOf)).rejects.toThrow(/terminated|fetch failed/)
  })

  test('whose agent is killed ends as a broken connection', async () => {
    const device = await online((self) => ({
      UploadFileToViewer: ({ streamId }) => {
        void self()
          .connection.invoke('SendFileContentStream', streamId, endless(self))
          .catch(() => {})
        return successOf({ fileSize: 150_000, fileDisplayName: 'a' })
      },
    }))
    const response = await owner.fetch(address(device))
    expect(response.status).toBe(200)
    await device.connection.stop()
    await expect(bytesOf(response)).rejects.toThrow('terminated')
  })
})

/** Stream that sends a single piece and stalls. */
const endless = (_self: () => FileAgent) => ({
  subscribe(subscriber: { next(item: unknown): void }) {
    subscriber.next(base64(Buffer.alloc(30_000)))
    return { dispose: () => {} }
  },
})

describe('a failing agent', () => {
  test('answers with its reason', async () => {
    const device = await online(() => ({
      UploadFileToViewer: () => ({ ...failure('Target path does not exist'), value: null }),
    }))
    expect(await problemOf(await owner.fetch(address(device)))).toMatchObject({
      status: 500,
      title: 'The device refused.',
      detail: 'Target path does not exist',
      code: 'path-missing',
    })
  })

  test('that refuses without a value has said why', async () => {
    const device = await online(() => ({ UploadFileToViewer: () => failure('The folder is locked') as never }))
    expect(await problemOf(await owner.fetch(address(device)))).toMatchObject({
      status: 500,
      detail: 'The folder is locked',
      code: 'device-refused',
    })
  })

  test('that throws, or answers null or an invalid value, is a failed request', async () => {
    for (const answer of [() => Promise.reject(new Error('broken')), () => null, () => ({ isSuccess: 'maybe' })]) {
      const device = await online(() => ({ UploadFileToViewer: answer as never }))
      expect(await problemOf(await owner.fetch(address(device)))).toMatchObject({
        status: 500,
        title: 'The device failed.',
        detail: 'Agent did not respond.',
        code: 'device-failed',
      })
    }
  })

  test('is reported as offline, also when it disconnects before it answers', async () => {
    const device = await online((self) => ({
      UploadFileToViewer: () => (void self().connection.stop(), new Promise<never>(() => {})),
    }))
    for (let time = 0; time < 2; time++) {
      expect(await problemOf(await owner.fetch(address(device)))).toMatchObject({
        status: 400,
        detail: 'Device is not currently online.',
        code: 'device-offline',
      })
    }
  })

  test('that does not answer times out after half an hour, as it may be packing a directory', async () => {
    let isAsked = false
    const device = await online(() => ({
      UploadFileToViewer: () => ((isAsked = true), new Promise<never>(() => {})),
    }))
    const answer = owner.fetch(address(device))
    await until(() => isAsked)
    clock.advance(30 * minute)
    expect(await problemOf(await answer)).toMatchObject({ status: 408, detail: 'The device did not answer in time.' })
  })

  test('that answers but sends no stream times out after half a minute', async () => {
    const device = await online(() => ({
      UploadFileToViewer: () => successOf({ fileSize: 10, fileDisplayName: 'a' }),
    }))
    const answer = owner.fetch(address(device))
    const timer = setInterval(() => clock.advance(30_000), 50)
    expect(await problemOf(await answer)).toMatchObject({
      status: 408,
      detail:
        'The device answered, but sent none of the data within 30 seconds. Its agent may not be able to open the file.',
    })
    clearInterval(timer)
  })
})

describe('a client that disconnects', () => {
  test('while the agent prepares leaves nothing behind on the server', async () => {
    let isAsked = false
    let answer = () => {}
    const device = await online((self) => ({
      UploadFileToViewer: async ({ streamId }) => {
        isAsked = true
        await new Promise<void>((resolve) => (answer = resolve))
        self().send('SendFileContentStream', [streamId], pieces(Buffer.alloc(90_000)))
        return successOf({ fileSize: 90_000, fileDisplayName: 'a' })
      },
    }))
    const leave = new AbortController()
    const fetched = owner.fetch(address(device), { signal: leave.signal })
    await until(() => isAsked)
    leave.abort()
    await expect(fetched).rejects.toThrow('aborted')
    answer()
    // The stream is dropped, so the connection works at once.
    const timestamp = freshTimestamp(clock.now())
    const report = device.agent.signed(device.agent.report(), { timestamp })
    expect(await device.UpdateDeviceSigned(report)).toMatchObject({ isSuccess: true })
  })

  test('during the stream stops the stream of the agent, which stays connected', async () => {
    let outcome: Promise<unknown> | undefined
    const device = await online((self) => ({
      UploadFileToViewer: ({ streamId }) => {
        outcome = self().connection.invoke('SendFileContentStream', streamId, endless(self))
        return successOf({ fileSize: 90_000, fileDisplayName: 'a' })
      },
    }))
    const leave = new AbortController()
    const response = await owner.fetch(address(device), { signal: leave.signal })
    await response.body!.getReader().read()
    leave.abort()
    expect(await outcome).toEqual(failure('Nobody takes this stream.'))
  })
})
