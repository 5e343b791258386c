import { Subject } from '@microsoft/signalr'
import { describe, expect, test } from 'vitest'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { enroll } from '../../support/agent.ts'
import { connectFileAgent, pieces, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { connectViewer, type Viewer } from '../../support/hub-client.ts'
import { addUser } from '../../support/people.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const maxBytes = 200_000
const server = serverForFile({ settings: { AppOptions__MaxFileTransferSize: String(maxBytes) } })
const owner = ownerForFile(server)

const content = Buffer.alloc(100_000, 'farhand')

/** Calls `UploadFile`; the test sends the stream. */
function upload(viewer: Viewer, deviceId: string, changes: object = {}) {
  const items = new Subject<string>()
  const metadata = {
    deviceId,
    targetDirectory: '/in',
    fileName: 'größe.txt',
    fileSize: content.length,
    contentType: 'text/plain',
    overwrite: true,
    ...changes,
  }
  const answer = viewer.connection.invoke<HubResult>('UploadFile', metadata, items)
  answer.catch(() => {})
  return { items, answer }
}

/** Connects a device that fetches uploads and records their outcome. */
async function fetching(handlers: Partial<AgentHandlers> = {}) {
  const fetched: (Buffer | string)[] = []
  const requests: object[] = []
  const device: FileAgent = await connectFileAgent(owner, {
    DownloadFileFromViewer: async (request) => {
      requests.push(request)
      try {
        fetched.push(await device.fetch(request))
        return success
      } catch (error) {
        fetched.push((error as Error).message)
        return failure('File upload was canceled by client.')
      }
    },
    ...handlers,
  })
  return { device, fetched, requests }
}

async function sendAll({ items, answer }: ReturnType<typeof upload>, bytes: Buffer = content) {
  for (const piece of pieces(bytes)) {
    items.next(piece)
  }
  items.complete()
  return await answer
}

test('a file arrives whole, under the name and in the folder that the viewer said', async () => {
  const { device, fetched, requests } = await fetching()
  expect(await sendAll(upload(await connectViewer(owner), device.id))).toEqual(success)
  expect((fetched[0] as Buffer).equals(content)).toBe(true)
  expect(requests).toEqual([
    {
      streamId: expect.any(String) as string,
      targetDirectoryPath: '/in',
      fileName: 'größe.txt',
      fileSize: content.length,
      overwrite: true,
      checkedStreamId: expect.any(String) as string,
    },
  ])
})

test('an empty file is a file', async () => {
  const { device, fetched } = await fetching()
  expect(await sendAll(upload(await connectViewer(owner), device.id, { fileSize: 0 }), Buffer.alloc(0))).toEqual(
    success,
  )
  expect(fetched).toEqual([Buffer.alloc(0)])
})

describe('is rejected before the device is called', () => {
  test.each<[string, object, string]>([
    [
      'a file above the limit',
      { fileSize: maxBytes + 1 },
      `File size exceeds the maximum allowed size of ${maxBytes} bytes.`,
    ],
    ['a name with a path', { fileName: '../evil' }, 'The file must have a name that files can have.'],
    ['a name that is a folder', { fileName: '..' }, 'The file must have a name that files can have.'],
  ])('%s', async (_, changes, reason) => {
    const { device, requests } = await fetching()
    expect(await upload(await connectViewer(owner), device.id, changes).answer).toEqual(failure(reason))
    expect(requests).toEqual([])
  })

  test('anything, without the right, or for a device that there is not', async () => {
    const { device, requests } = await fetching()
    const viewer = await connectViewer(await addUser(server, owner))
    const unknown = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    for (const deviceId of [device.id, unknown]) {
      expect(await upload(viewer, deviceId).answer).toEqual(failure('Forbidden.'))
    }
    expect(requests).toEqual([])
  })

  test('any size for an offline device; the size limit is checked first', async () => {
    const { id } = await enroll(owner)
    const viewer = await connectViewer(owner)
    expect(await upload(viewer, id).answer).toEqual(failure('Device is not currently connected.'))
    expect((await upload(viewer, id, { fileSize: maxBytes + 1 }).answer).reason).toContain('maximum allowed size')
  })
})

describe('that fails', () => {
  test('because the viewer cancels it is reported to both sides', async () => {
    const { device, fetched } = await fetching()
    const { items, answer } = upload(await connectViewer(owner), device.id)
    items.next(Buffer.alloc(30_000).toString('base64'))
    items.error(new Error('The person pressed Cancel.'))
    expect(await answer).toEqual(failure('File upload was canceled.'))
    await until(() => fetched.length === 1)
    expect(fetched[0]).toContain('Stream canceled by client.')
  })

  test('because the viewer disconnects is reported to the device', async () => {
    const { device, fetched, requests } = await fetching()
    const viewer = await connectViewer(owner)
    const { items } = upload(viewer, device.id)
    items.next(Buffer.alloc(30_000).toString('base64'))
    await until(() => requests.length === 1)
    await viewer.connection.stop()
    await until(() => fetched.length === 1)
    expect(fetched[0]).toContain('Stream canceled by client.')
  })

  test.each<[string, number, string]>([
    ['more', 120_000, 'The viewer sent more than it announced.'],
    ['less', 90_000, 'The viewer sent less than it announced.'],
  ])('because the viewer sends %s than it announced', async (_, bytes, reason) => {
    const { device, fetched } = await fetching()
    const result = await sendAll(upload(await connectViewer(owner), device.id), Buffer.alloc(bytes))
    expect(result).toEqual(failure(reason))
    await until(() => fetched.length === 1)
    expect(fetched[0]).toContain('Stream canceled by client.')
  })

  test.each<[string, AgentHandlers['DownloadFileFromViewer'], string]>([
    ['refuses', () => failure('File already exists.'), 'Agent failed to download file: File already exists.'],
    ['refuses without a reason', () => failure(''), 'Agent failed to download file: The agent gave no reason.'],
    [
      'is done before it has the file',
      () => success,
      'Agent failed to download file: The device answered before it had the whole file.',
    ],
    ['throws', () => Promise.reject(new Error('secret')), 'Agent failed to download file: Agent did not respond.'],
    ['answers null', () => null as never, 'Agent failed to download file: Agent did not respond.'],
  ])('because the device %s', async (_, answer, reason) => {
    const { device } = await fetching({ DownloadFileFromViewer: answer! })
    const { items, answer: result } = upload(await connectViewer(owner), device.id)
    items.next(Buffer.alloc(1_000).toString('base64'))
    expect(await result).toEqual(failure(reason))
  })

  test('because the device disconnects reports that it is offline', async () => {
    let hasBegun = false
    const { device } = await fetching({
      DownloadFileFromViewer: () => ((hasBegun = true), new Promise<never>(() => {})),
    })
    const { items, answer } = upload(await connectViewer(owner), device.id)
    items.next(Buffer.alloc(1_000).toString('base64'))
    await until(() => hasBegun)
    await device.connection.stop()
    expect(await answer).toEqual(failure('Device is not currently connected.'))
  })
})
