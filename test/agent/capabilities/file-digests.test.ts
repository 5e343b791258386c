/** Checks that the receiver detects data damaged between device and server. */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeIncoming } from '../../../agent/capabilities/files/incoming.ts'
import { failure, success, successOf } from '../../../shared/dtos/hub-result.ts'
import { PartFiles } from '../../../agent/capabilities/files/parts.ts'
import { base64, connectFileAgent, type FileAgent } from '../../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { temporaryFolder } from '../support.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('')).digest('base64')

/** Starts a device that sends these items for any file of nine bytes. */
async function offering(...items: string[]) {
  const device: FileAgent = await connectFileAgent(owner, {
    UploadFileToViewer: ({ streamId, isDigestWanted }) => {
      expect(isDigestWanted).toBe(true)
      device.send('SendFileContentStream', [streamId], items)
      return successOf({ fileSize: 9, fileDisplayName: 'a.txt', hasDigest: true })
    },
  })
  const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a.txt' })
  return owner.fetch(`/api/v1/device-file-system/download/${device.id}?${query.toString()}`)
}

const parts = ['one', 'two', 'six'].map(base64)

test('a download with the right digest arrives', async () => {
  expect(await (await offering(...parts, digest('onetwosix'))).text()).toBe('onetwosix')
})

test.each([
  ['another digest', [...parts, digest('onetwosiy')]],
  ['no digest', parts],
])('a download with %s never completes', async (_, items) => {
  const received = await offering(...items).then(
    (response) => (response.ok ? response.text().catch(() => 'cut') : 'refused'),
    () => 'cut',
  )
  expect(['cut', 'refused']).toContain(received)
})

test.each([
  ['bytes=4-', 4, 206],
  ['bytes=4-', undefined, 200],
  ['bytes=4-', 5, 500],
  ['bytes=4-', 100, 500],
  ['lines=4-', 4, 500],
])('of a range %s, answered from byte %s on, the status is %i', async (range, offset, status) => {
  const asked: unknown[] = []
  const device: FileAgent = await connectFileAgent(owner, {
    UploadFileToViewer: ({ streamId, offset: wanted }) => {
      asked.push(wanted)
      device.send('SendFileContentStream', [streamId], [base64('onetwosix'.slice(offset ?? 0))])
      return successOf({ fileSize: 9, fileDisplayName: 'a.txt', offset })
    },
  })
  const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a.txt' })
  const path = `/api/v1/device-file-system/download/${device.id}?${query.toString()}`
  const response = await owner.fetch(path, { headers: { range } })
  expect([asked, response.status]).toEqual([[range.startsWith('bytes') ? 4 : undefined], status])
  const text = await response.text()
  expect(status < 300 ? text : '').toBe({ 206: 'wosix', 200: 'onetwosix' }[status] ?? '')
})

test('a device that supports digests fetches a stream with a digest, any other device a plain stream', async () => {
  const received: string[] = []
  for (const isModern of [true, false]) {
    const device: FileAgent = await connectFileAgent(owner, {
      DownloadFileFromViewer: async ({ checkedStreamId = '', ...request }) => {
        const streamId = isModern ? checkedStreamId : request.streamId
        received.push((await device.fetch({ ...request, streamId })).toString('latin1'))
        return success
      },
    })
    const form = new FormData()
    form.append('targetSaveDirectory', '/in')
    form.append('overwrite', 'false')
    form.append('file', new Blob(['content']), 'a.txt')
    const path = `/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`
    expect((await owner.fetch(path, { method: 'POST', body: form })).status).toBe(200)
  }
  const hash = createHash('sha256').update('content').digest().toString('latin1')
  expect(received).toEqual([`content${hash}`, 'content'])
})

test.each([
  ['the right digest', digest('onetwo'), success],
  ['another digest', digest('onetwoo'), failure('The file was damaged on its way.')],
])('an upload with %s is written whole or not at all', async (_, sum, expected) => {
  const folder = temporaryFolder()
  const request = {
    streamId: randomUUID(),
    checkedStreamId: randomUUID(),
    fileName: 'a',
    fileSize: 6,
    overwrite: false,
  }
  async function* items() {
    yield* [Buffer.from('one'), Buffer.from('two'), Buffer.from(sum, 'base64')]
  }
  expect(
    await writeIncoming(new PartFiles(temporaryFolder()), { ...request, targetDirectoryPath: folder }, items),
  ).toEqual(expected)
  expect(readdirSync(folder)).toEqual(expected.isSuccess ? ['a'] : [])
  if (expected.isSuccess) {
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('onetwo')
  }
})
