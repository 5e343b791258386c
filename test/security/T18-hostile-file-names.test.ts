import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { safeFileName } from '../../shared/safe-file-names.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { connectFileAgent, pieces, type FileAgent } from '../support/file-agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const names: [string, string][] = [
  ['report.pdf', 'report.pdf'],
  ['résumé 简历.txt', 'résumé 简历.txt'],
  ['../../.bashrc', '.bashrc'],
  ['C:\\Users\\ada\\x.exe', 'x.exe'],
  ['a\r\nSet-Cookie: x=1', 'a__Set-Cookie_ x=1'],
  ['a"; filename="b.exe', 'a_; filename=_b.exe'],
  ['invoice\u202Efdp.exe', 'invoice%E2%80%AEfdp.exe'],
  ['a\u061cb\u200f.txt', 'a%D8%9Cb%E2%80%8F.txt'],
  ['caf\uEFE9.txt', 'caf%E9.txt'],
  ['a\u0000.txt', 'a_.txt'],
  ['a<b>|c?.txt', 'a_b__c_.txt'],
  ['NUL', '_NUL'],
  ['com1.txt', '_com1.txt'],
  ['x.txt. . ', 'x.txt'],
  ['', 'download'],
  ['..', 'download'],
  ['/', 'download'],
  [`${'x'.repeat(500)}.tar.gz`, `${'x'.repeat(197)}.gz`],
  ['half \ud800 a character', 'half \ufffd a character'],
]

test.each(names)('%j is saved as %j', (name, safe) => {
  expect(safeFileName(name)).toBe(safe)
})

test('a download has a safe name in its header, whatever name the device sends', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  for (const [name, safe] of names) {
    const device: FileAgent = await connectFileAgent(owner, {
      UploadFileToViewer: ({ streamId }) => {
        device.send('SendFileContentStream', [streamId], pieces(Buffer.from('x')))
        return successOf({ fileSize: 1, fileDisplayName: name })
      },
    })
    const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a' })
    const response = await owner.fetch(`/api/v1/device-file-system/download/${device.id}?${query}`)
    const header = response.headers.get('content-disposition') ?? ''
    const [, plain, exact] =
      /^attachment; filename=("[\x20-\x7e]*"|[^";\s]+); filename\*=UTF-8''(\S+)$/.exec(header) ?? []
    expect([name, plain === undefined, decodeURIComponent(exact ?? '')]).toEqual([name, false, safe])
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('an exported recording has a safe name, whatever name the device has', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await recordingAgent(owner)
  await agent.UpdateDeviceSigned(agent.agent.signed(agent.agent.report({ name: 'lyon\u061c\u202etsac' })))
  const viewer = await connectViewer(owner)
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession(agent.id, terminalId)
  await owner.applianceSessionRecordings.start({ params: { sessionId: terminalId } })
  const output = { terminalId, outputKind: 0 as const, timestamp: new Date().toISOString(), output: 'one\r\n' }
  await agent.SendTerminalOutputToViewer(viewer.connection.connectionId!, output)
  await viewer.CloseTerminalSession(agent.id, terminalId)
  const { id } = await until(async () =>
    (await owner.applianceRecordings.list({ query: {} })).items.find(({ state }) => state === 'complete'),
  )
  const reading = await owner.applianceRecordings.read({ params: { recordingId: id } })
  const answer = await owner.fetch(`/api/appliance/v1/recordings/${id}/readings/${reading.id}/asciicast`)
  expect(answer.headers.get('content-disposition')).toMatch(/''lyon%25D8%259C%25E2%2580%25AEtsac-[\d-]+T[\d-]+\.cast$/)
  await answer.text()
})
