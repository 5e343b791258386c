import { test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { copyRow } from '../support/copied-rows.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test('T44: of an account with many tokens 100 batches are kept', async () => {
  const { id: deviceId } = await enroll(owner)
  const { id: tagId } = await owner.tags.create({ tenantId: owner.tenantId, body: { name: 'tagged' } })
  const start = () => owner.applianceBatches.start({ body: { kind: 'add-tag', deviceIds: [deviceId], tagId } })
  const finished = () => server.rows('SELECT id FROM batches WHERE finishedAt IS NOT NULL')
  await start()
  await until(async () => (await finished()).length === 1)
  await copyRow(server, 'Batch', { copies: 150, ids: ['owner'] })
  await start()
  await until(async () => (await finished()).length === 100)
})
