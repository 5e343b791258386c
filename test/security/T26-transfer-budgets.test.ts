import { Subject } from '@microsoft/signalr'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import { connectFileAgent, type AgentHandlers } from '../support/file-agent.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { addMember } from '../support/people.ts'
import { useTestServer, type Member } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const mebibyte = 1024 * 1024

/** Two users with all rights on files, and a device. */
async function scene(handlers: AgentHandlers) {
  const server = await useTestServer()
  const owner = await server.owner()
  const other = await addMember(server, owner.tenantId, [
    'device.read',
    'device.file-system.read',
    'device.file-system.transfer-upload',
  ])
  return { owner, other, device: await connectFileAgent(owner, handlers) }
}

const never = new Promise<never>(() => {})

describe('listings that a device does not answer', () => {
  const list = (member: Member, deviceId: string, directoryPath: string, signal?: AbortSignal) =>
    member.fetch(`/api/v1/device-file-system/contents?tenantId=${member.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ deviceId, directoryPath }),
      ...(signal && { signal }),
    })

  test('are 429 for a principal that has 32 of them, until one ends, and delay nobody else', async () => {
    let asked = 0
    const { owner, other, device } = await scene({
      StreamDirectoryContents: ({ directoryPath }) => {
        asked++
        return directoryPath === '/slow' ? never : failure('No.')
      },
    })
    const clients = Array.from({ length: 32 }, () => new AbortController())
    for (const { signal } of clients) {
      list(owner, device.id, '/slow', signal).catch(() => {})
    }
    await until(() => asked === 32)
    const rejected = await within(5_000, list(owner, device.id, '/slow'))
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '5'])
    expect(((await rejected.json()) as { detail: string }).detail).toContain('Try again when one has ended.')
    expect((await within(5_000, list(other, device.id, '/'))).status).toBe(400)
    clients[0]!.abort()
    await until(async () => (await list(owner, device.id, '/')).status === 400)
    clients.forEach((client) => client.abort())
  })
})

describe('forms whose file comes before its fields', () => {
  const head = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'

  /** Sends the head of a form and `sent` bytes of its file. */
  function halfSent(member: Member, deviceId: string, { announced, sent }: { announced?: number; sent: number }) {
    const { hostname, port } = new URL(member.url)
    const request = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: `/api/v1/device-file-system/upload/${deviceId}?tenantId=${member.tenantId}`,
      headers: {
        cookie: member.cookie!,
        origin: member.url,
        'content-type': 'multipart/form-data; boundary=X',
        ...(announced !== undefined && { 'content-length': announced }),
      },
    })
    request.on('error', () => {})
    request.write(head)
    request.write(Buffer.alloc(sent, 7))
    const answer = new Promise<IncomingMessage>((resolve) => request.on('response', resolve))
    return { request, answer }
  }

  test('are 429 for a principal whose share of the disk is announced, and delay nobody else', async () => {
    const { owner, other, device } = await scene({})
    const expectRefused = async (answers: Promise<IncomingMessage>[]) => {
      const response = await within(20_000, Promise.any(answers))
      expect(response.statusCode).toBe(429)
      expect((await buffer(response)).toString()).toContain('Send targetSaveDirectory and overwrite before the file')
    }
    // Two fit the budget, whichever of the three arrive first.
    const announced = [1, 2, 3].map(() => halfSent(owner, device.id, { announced: 100 * mebibyte, sent: 100 }))
    await expectRefused(announced.map(({ answer }) => answer))
    const growing = halfSent(owner, device.id, { sent: 60 * mebibyte })
    await expectRefused([growing.answer])
    const others = halfSent(other, device.id, { sent: mebibyte })
    others.request.end('\r\n--X--\r\n')
    // Missing fields are detected after the whole form is spooled.
    expect((await within(20_000, others.answer)).statusCode).toBe(400)
    ;[...announced, growing].forEach(({ request }) => request.destroy())
  })
})

describe('uploads over the viewer hub that a device does not fetch', () => {
  const upload = (viewer: Viewer, deviceId: string, fileName: string) => {
    const metadata = {
      deviceId,
      targetDirectory: '/in',
      fileName,
      fileSize: mebibyte,
      contentType: '',
      overwrite: true,
    }
    const answer = viewer.connection.invoke<HubResult>('UploadFile', metadata, new Subject<string>())
    answer.catch(() => {})
    return answer
  }

  test('fail with a reason for a principal that has 32 of them, over however many connections', async () => {
    let asked = 0
    const { owner, other, device } = await scene({
      DownloadFileFromViewer: ({ fileName }) => {
        asked++
        return fileName === 'slow' ? never : success
      },
    })
    const [first, second, others] = await Promise.all([owner, owner, other].map((member) => connectViewer(member)))
    for (let count = 0; count < 16; count++) {
      void upload(first!, device.id, 'slow')
      void upload(second!, device.id, 'slow')
    }
    await until(() => asked === 32)
    expect((await within(5_000, upload(second!, device.id, 'slow'))).reason).toContain('Try again when one has ended.')
    expect((await within(5_000, upload(others!, device.id, 'fast'))).reason).toContain('before it had the whole file')
  })
})
