import { expect, test } from 'vitest'
import { failure, success, successOf } from '../../shared/dtos/hub-result.ts'
import { connectFileAgent, pieces, type FileAgent } from '../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const outward = [
  '..',
  '../../etc',
  '..\\..\\Windows',
  '/etc/passwd',
  'C:\\Windows\\System32',
  'a/../../b',
  '\u0000',
  '',
]

test('an archive is never requested or saved under a name with a path', async () => {
  const asked: string[] = []
  const device: FileAgent = await connectFileAgent(owner, {
    UploadArchiveToViewer: ({ streamId, archiveFileName }) => {
      asked.push(archiveFileName)
      device.send('SendFileContentStream', [streamId], pieces(Buffer.from('PK')))
      return successOf({ fileSize: 2, fileDisplayName: '../../evil.zip' })
    },
  })
  const names: (string | null)[] = []
  for (const archiveFileName of outward) {
    const address = `/api/v1/device-file-system/download-archive/${device.id}?tenantId=${owner.tenantId}`
    const response = await owner.fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ archiveFileName, targetPaths: ['/a'] }),
    })
    names.push(response.headers.get('content-disposition'))
  }
  expect(asked).toEqual(['etc.zip', 'Windows.zip', 'passwd.zip', 'System32.zip', 'b.zip'])
  expect(names.filter((name) => name !== null && /[/\\]|\.\./.test(name.replace("UTF-8''", '')))).toEqual([])
})

test('an upload is passed on with a bare file name, whatever path the form has', async () => {
  const asked: string[] = []
  const device = await connectFileAgent(owner, {
    DownloadFileFromViewer: ({ fileName }) => {
      asked.push(fileName)
      return failure('Not now.')
    },
  })
  for (const name of [...outward, 'a\r\nb', '.']) {
    const head = `--X\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
    const fields = '--X\r\nContent-Disposition: form-data; name="targetSaveDirectory"\r\n\r\n/in\r\n'
    await owner.fetch(`/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=X' },
      body: `${fields}${head}content\r\n--X--\r\n`,
    })
  }
  expect(asked.filter((name) => /[/\\\u0000-\u001f]|^\.*$/.test(name))).toEqual([])
  expect(asked).toContain('passwd')
})

test('the right to read logs permits only files that the agent lists as logs', async () => {
  const read: string[] = []
  const log = { fileName: 'a.log', fullPath: '/var/log/a.log', size: 1, lastModified: new Date().toISOString() }
  const device: FileAgent = await connectFileAgent(owner, {
    GetLogFiles: () => successOf({ logFileGroups: [{ groupName: 'Agent Logs', logFiles: [log] }] }),
    StreamFileContents: ({ streamId, filePath }) => {
      read.push(filePath)
      device.send('SendFileContentStream', [streamId], pieces(Buffer.from('x')))
      return success
    },
  })
  const paths = ['/var/log/../../etc/shadow', '/etc/shadow', '/var/log/a.log/', '/var/log//a.log', '/var/log/a.log']
  const statuses: number[] = []
  for (const filePath of paths) {
    const query = new URLSearchParams({ tenantId: owner.tenantId, filePath })
    statuses.push((await owner.fetch(`/api/v1/device-file-system/logs/${device.id}/contents?${query}`)).status)
  }
  expect(statuses).toEqual([403, 403, 403, 403, 200])
  expect(read).toEqual(['/var/log/a.log'])
})
