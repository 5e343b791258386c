import { expect, test } from 'vitest'
import { failure, success, successOf } from '../../shared/dtos/hub-result.ts'
import { base64, connectFileAgent, type FileAgent } from '../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

/** Sends a stream with an id, and returns the server's answer. */
const sendAndAsk = (device: FileAgent, streamId: string, text: string) =>
  device.connection.invoke('SendFileContentStream', streamId, {
    subscribe(subscriber: { next(item: string): void; complete(): void }) {
      subscriber.next(base64(text))
      subscriber.complete()
      return { dispose: () => {} }
    },
  })

const nobody = failure('Nobody takes this stream.')

test('a stream is accepted only from the device that was asked', async () => {
  const answers: unknown[] = []
  const thief = await connectFileAgent(owner)
  const device: FileAgent = await connectFileAgent(owner, {
    UploadFileToViewer: async ({ streamId }) => {
      // The other device knows the id and sends first.
      answers.push(await sendAndAsk(thief, streamId, 'evil'))
      void sendAndAsk(device, streamId, 'good').then((answer) => answers.push(answer))
      return successOf({ fileSize: 4, fileDisplayName: 'a' })
    },
  })
  const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a' })
  const response = await owner.fetch(`/api/v1/device-file-system/download/${device.id}?${query}`)
  expect(await response.text()).toBe('good')
  await expect.poll(() => answers).toEqual([nobody, expect.objectContaining(success)])
})

test('a stream id works once, for the requested kind of stream', async () => {
  const answers: unknown[] = []
  const device: FileAgent = await connectFileAgent(owner, {
    StreamDirectoryContents: async ({ streamId }) => {
      answers.push(await sendAndAsk(device, streamId, 'not a listing'))
      device.send('SendDirectoryContentsStream', [streamId, true], [])
      device.send('SendDirectoryContentsStream', [streamId, false], [[{ name: 'twice' }]])
      return success
    },
  })
  const listing = await owner.deviceFileSystem.contents({
    body: { deviceId: device.id, directoryPath: '/' },
    tenantId: owner.tenantId,
  })
  expect(listing).toEqual({ directoryExists: true, entries: [] })
  expect(answers).toEqual([nobody])
  expect(await sendAndAsk(device, '3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'made up')).toEqual(nobody)
})

test('an upload for one device cannot be fetched by another one, or twice', async () => {
  const thief = await connectFileAgent(owner)
  const outcomes: string[] = []
  const device: FileAgent = await connectFileAgent(owner, {
    DownloadFileFromViewer: async (request) => {
      const attempt = (by: FileAgent) => by.fetch(request).then(String, (error: Error) => error.message)
      outcomes.push(await attempt(thief), await attempt(device), await attempt(device))
      return success
    },
  })
  const form = new FormData()
  form.append('targetSaveDirectory', '/in')
  form.append('file', new Blob(['secret']), 'a')
  const address = `/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`
  expect((await owner.fetch(address, { method: 'POST', body: form })).status).toBe(200)
  const unknown = expect.stringContaining('Stream not found.') as string
  expect(outcomes).toEqual([unknown, 'secret', unknown])
})

test('an unverified connection may neither send nor fetch', async () => {
  const known = await connectFileAgent(owner)
  const unproved = await known.agent.open(server.url)
  const device = { ...known, connection: unproved.connection }
  await expect(sendAndAsk(device, '3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'x')).rejects.toThrow('unauthorized')
})
