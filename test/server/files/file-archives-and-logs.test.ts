import { describe, expect, test } from 'vitest'
import { failure, success, successOf } from '../../../shared/dtos/hub-result.ts'
import { connectFileAgent, pieces, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'

const limit = 200_000

const server = serverForFile({ settings: { AppOptions__MaxFileTransferSize: String(limit) } })
const owner = ownerForFile(server)

/** Connects an agent whose handlers may send streams. */
async function online(handlers: (device: () => FileAgent) => AgentHandlers) {
  const device: FileAgent = await connectFileAgent(
    owner,
    handlers(() => device),
  )
  return device
}

async function problemOf(response: Response) {
  const { detail, title } = (await response.json()) as { detail?: string; title: string }
  return { status: response.status, title, detail }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('an archive', () => {
  const ask = (device: FileAgent, body: object) =>
    owner.fetch(`/api/v1/device-file-system/download-archive/${device.id}?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const asForm = (device: FileAgent, fields: [string, string][]) =>
    owner.fetch(`/api/device-file-system/download-archive/${device.id}/form`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })

  const packing = (told: unknown[]) =>
    online((device) => ({
      UploadArchiveToViewer: ({ streamId, ...request }) => {
        told.push(request)
        device().send('SendFileContentStream', [streamId], pieces(Buffer.from('PK')))
        return successOf({ fileSize: 2, fileDisplayName: '../../other.zip' })
      },
    }))

  test.each([
    ['logs', 'logs.zip'],
    [' logs.ZIP ', 'logs.ZIP'],
    ['C:\\temp\\a b.zip', 'a b.zip'],
    ['/etc/../ähm', 'ähm.zip'],
  ])('%s is asked for and saved as %s', async (archiveFileName, name) => {
    const told: unknown[] = []
    const response = await ask(await packing(told), { archiveFileName, targetPaths: ['/a', '/b'] })
    expect((await bytesOf(response)).toString()).toBe('PK')
    expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
    expect(told).toMatchObject([{ archiveFileName: name, targetPaths: ['/a', '/b'] }])
  })

  test.each(['', ' ', '..', 'a/', 'a:b', 'a?', '<script>', 'CON', 'x'.repeat(300), 'a\r\nx-evil: 1'])(
    'with the name %j is 400',
    async (archiveFileName) => {
      const device = await packing([])
      const problem = await problemOf(await ask(device, { archiveFileName, targetPaths: ['/a'] }))
      expect(problem).toMatchObject({ status: 400, detail: 'Archive file name is invalid.' })
    },
  )

  test('needs at least one path', async () => {
    const device = await packing([])
    const problem = await problemOf(await ask(device, { archiveFileName: 'a', targetPaths: [] }))
    expect(problem).toMatchObject({ status: 400, title: 'One or more validation errors occurred.' })
  })

  test('can be requested with a form; blank paths are ignored', async () => {
    const told: unknown[] = []
    const device = await packing(told)
    const paths: [string, string][] = [
      ['targetPaths', '/a'],
      ['targetPaths', ' '],
      ['TargetPaths', '/b c'],
    ]
    const response = await asForm(device, [['archiveFileName', 'a'], ...paths])
    expect((await bytesOf(response)).toString()).toBe('PK')
    expect(told).toMatchObject([{ archiveFileName: 'a.zip', targetPaths: ['/a', '/b c'] }])
    expect(
      (
        await asForm(device, [
          ['archiveFileName', 'a'],
          ['targetPaths', ''],
        ])
      ).status,
    ).toBe(400)
    expect((await asForm(device, [['targetPaths', '/a']])).status).toBe(400)
    const asJson = await owner.fetch(`/api/device-file-system/download-archive/${device.id}/form`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(asJson.status).toBe(415)
    expect((await asForm(device, [['archiveFileName', 'x'.repeat(2 * 1024 * 1024)]])).status).toBe(413)
  })
})

const logAddress = (device: FileAgent, filePath: string, operation = 'logs', rest = '') =>
  `/api/v1/device-file-system/${operation}/${device.id}${rest}?${new URLSearchParams({ tenantId: owner.tenantId, filePath })}`

describe('a log file', () => {
  const lastModified = new Date().toISOString()
  const logging = (text: string, size = text.length) =>
    online((device) => ({
      GetLogFiles: () =>
        successOf({
          logFileGroups: [
            {
              groupName: 'Agent Logs',
              logFiles: [{ fileName: 'a.log', fullPath: '/var/log/a.log', size, lastModified }],
            },
          ],
        }),
      StreamFileContents: ({ streamId }) => {
        device().send('SendFileContentStream', [streamId], pieces(Buffer.from(text)))
        return success
      },
    }))

  test('is listed, and read as text', async () => {
    const device = await logging('líne 1\nline 2\n')
    const { logFileGroups } = await owner.deviceFileSystem.logs({
      params: { deviceId: device.id },
      tenantId: owner.tenantId,
    })
    expect(logFileGroups[0]!.logFiles[0]).toEqual({
      fileName: 'a.log',
      fullPath: '/var/log/a.log',
      size: 14,
      lastModified,
    })
    const response = await owner.fetch(logAddress(device, '/var/log/a.log', 'logs', '/contents'))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe("inline; filename=a.log; filename*=UTF-8''a.log")
    expect(await response.text()).toBe('líne 1\nline 2\n')
  })

  test('that the agent does not list is refused', async () => {
    const device = await logging('x')
    for (const path of ['/etc/shadow', '/var/log/../../etc/shadow', '/var/log/A.log', '/var/log/a.log ']) {
      expect((await owner.fetch(logAddress(device, path, 'logs', '/contents'))).status).toBe(403)
    }
    expect((await owner.fetch(logAddress(device, '', 'logs', '/contents'))).status).toBe(400)
  })

  test('over the limit is 413; one that grows beyond it is broken off', async () => {
    const listed = await logging('x', limit + 1)
    expect((await owner.fetch(logAddress(listed, '/var/log/a.log', 'logs', '/contents'))).status).toBe(413)
    const growing = await logging('x'.repeat(limit + 1), 10)
    const read = owner.fetch(logAddress(growing, '/var/log/a.log', 'logs', '/contents')).then(bytesOf)
    // Broken off before or after the head has been sent.
    await expect(read).rejects.toThrow(/terminated|fetch failed/)
  })

  test('is refused with the reason of the agent', async () => {
    const device = await online(() => ({
      GetLogFiles: () => ({ ...failure('No logs here.'), value: null }),
    }))
    const problem = { status: 500, detail: 'No logs here.' }
    expect(await problemOf(await owner.fetch(logAddress(device, '/a', 'logs')))).toMatchObject(problem)
    expect(await problemOf(await owner.fetch(logAddress(device, '/a', 'logs', '/contents')))).toMatchObject(problem)
  })
})
