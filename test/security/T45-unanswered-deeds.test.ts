import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import { connectFileAgent, type AgentHandlers, type FileAgent } from '../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

/* What was done to the files of a device is in the audit log, also when the request ends before the device answers (T45). */

const owner = ownerForFile(serverForFile({}))

async function connect(handlers: AgentHandlers): Promise<FileAgent> {
  const device = await connectFileAgent(owner, handlers)
  onTestFinished(() => device.connection.stop())
  return device
}

async function entriesOf(device: FileAgent, kind: AuditKind) {
  const { items } = await owner.applianceAuditLog.list({ query: { kind } })
  return items
    .filter(({ deviceId }) => deviceId === device.id)
    .map(({ targetName, outcome, details }) => [targetName, outcome, details['reason']])
}

test('a path that is deleted, and a folder that is created, is recorded when the connection of the device is lost before its answer', async () => {
  const lost = () => {
    void device.connection.stop()
    return new Promise<never>(() => {})
  }
  const device: FileAgent = await connect({ DeleteFile: lost, CreateDirectory: lost })
  const at = { tenantId: owner.tenantId, params: { deviceId: device.id } }
  const offline = 'Device is not currently online.'
  await expect(owner.deviceFileSystem.deletePath({ ...at, body: { filePath: '/srv/books' } })).rejects.toThrow(offline)
  expect(await entriesOf(device, 'file.deleted')).toEqual([['/srv/books', 'failure', offline]])
  const again = await device.agent.open(owner.url, { CreateDirectory: () => again.connection.stop() as never })
  onTestFinished(() => again.connection.stop())
  await again.UpdateDeviceSigned(device.agent.signed(device.agent.report()))
  const body = { parentPath: '/srv', directoryName: 'new' }
  await expect(owner.deviceFileSystem.createDirectory({ ...at, body })).rejects.toThrow(offline)
  expect(await entriesOf(device, 'file.folder-created')).toEqual([['/srv new', 'failure', offline]])
})

test('the last piece of an upload is recorded when its client leaves before the device answers, and an earlier one is not', async () => {
  let leave = () => {}
  const device: FileAgent = await connect({
    ValidateFilePath: () => ({ isValid: true, upload: { receivedBytes: 0 } }),
    async DownloadFileFromViewer(request) {
      await device.fetch({ ...request, streamId: request.resume!.streamId })
      leave()
      return new Promise<never>(() => {})
    },
  })
  for (const [fileName, fileSize] of [
    ['part.sh', '5'],
    ['whole.sh', '4'],
  ] as const) {
    const left = new AbortController()
    leave = () => left.abort()
    const query = new URLSearchParams({ targetDirectory: '/srv', fileName, fileSize })
    const path = `/api/appliance/v1/devices/${device.id}/uploads/${randomUUID()}?${query.toString()}`
    const headers = { 'content-type': 'application/octet-stream' }
    const sent = owner.fetch(path, { method: 'PUT', headers, body: 'some', signal: left.signal })
    await expect(sent).rejects.toThrow('aborted')
  }
  await until(async () => (await entriesOf(device, 'file.uploaded')).length > 0)
  expect(await entriesOf(device, 'file.uploaded')).toEqual([['whole.sh', 'failure', 'The client disconnected.']])
})
