import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { sendStream } from '../../support/file-agent.ts'
import { useTestServer, type Member } from '../../support/server.ts'

/**
 * Connects an agent with MessagePack encoding: PascalCase members, bytes as bytes, instants as `[timestamp, offset]`.
 */
async function connectBinaryAgent(owner: Member) {
  const agent = await enroll(owner)
  const { connection } = await agent.open(owner.url, {}, { protocol: 'messagepack' })
  expect(await connection.invoke('UpdateDeviceSigned', agent.signed(agent.report()))).toMatchObject({ IsSuccess: true })
  const send = (method: string, args: unknown[], items: unknown[]) => sendStream(connection, method, args, items)
  return { id: agent.id, connection, send }
}

const ok = { IsSuccess: true, Reason: null, ErrorCode: null }

test('an agent that uses MessagePack sends and fetches files and lists directories', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { id, connection, send } = await connectBinaryAgent(owner)
  const content = randomBytes(70_000)
  const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a' })

  connection.on('UploadFileToViewer', ({ StreamId }: { StreamId: string }) => {
    send('SendFileContentStream', [StreamId], [content.subarray(0, 40_000), content.subarray(40_000)])
    return { ...ok, Value: { FileSize: content.length, FileDisplayName: 'a.bin' } }
  })
  const downloaded = await owner.fetch(`/api/v1/device-file-system/download/${id}?${query}`)
  expect(Buffer.from(await downloaded.arrayBuffer()).equals(content)).toBe(true)

  connection.on('StreamDirectoryContents', ({ StreamId }: { StreamId: string }) => {
    const entry = { Name: 'a', FullPath: '/a', Size: 5, LastModified: [new Date('2026-01-02T03:04:05Z'), 60] }
    send('SendDirectoryContentsStream', [StreamId, true], [[entry]])
    return ok
  })
  const listing = await owner.deviceFileSystem.contents({
    body: { deviceId: id, directoryPath: '/' },
    tenantId: owner.tenantId,
  })
  expect(listing.entries).toMatchObject([{ name: 'a', size: 5, lastModified: '2026-01-02T02:04:05.000Z' }])

  const received: Uint8Array[] = []
  connection.on('DownloadFileFromViewer', async (request: object) => {
    await new Promise<void>((resolve, reject) => {
      connection.stream<Uint8Array>('GetFileStreamFromViewer', request).subscribe({
        next: (chunk) => void received.push(chunk),
        error: reject,
        complete: resolve,
      })
    })
    return ok
  })
  const form = new FormData()
  form.append('targetSaveDirectory', '/in')
  form.append('overwrite', 'true')
  form.append('file', new Blob([new Uint8Array(content)]), 'a.bin')
  const address = `/api/v1/device-file-system/upload/${id}?tenantId=${owner.tenantId}`
  expect((await owner.fetch(address, { method: 'POST', body: form })).status).toBe(200)
  expect(Buffer.concat(received).equals(content)).toBe(true)
})
