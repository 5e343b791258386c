import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { success } from '../../../../shared/dtos/hub-result.ts'
import { finishedBatch } from '../../../support/command-fleet.ts'
import { connectFileAgent, type FileAgent } from '../../../support/file-agent.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import type { Member } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

describe.runIf(canJoin)('files of a batch at two servers', () => {
  const joined = joinedForFile()
  const content = randomBytes(700_000)

  const leave = async (by: Member) => {
    const answer = await by.fetch('/api/appliance/v1/batch-files?fileName=a.bin', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
    })
    return ((await answer.json()) as { id: string }).id
  }

  /** A device at the first server that keeps what is written to it. */
  async function deviceAtOne() {
    const written: Buffer[] = []
    const device: FileAgent = await connectFileAgent(joined.owner, {
      async DownloadFileFromViewer(request) {
        written.push(await device.fetch(request))
        return success
      },
    })
    await until(() => isOnlineAt(joined.ownerAtTwo, device.id))
    return { id: device.id, written }
  }

  test.for([
    ['a device at the server that runs the batch, from the other one', 'owner'],
    ['a device at another server than the batch', 'ownerAtTwo'],
  ] as const)('reach %s', async ([, starter]) => {
    const { id, written } = await deviceAtOne()
    const fileIds = [await leave(joined.ownerAtTwo), await leave(joined.owner)]
    const body = { kind: 'send-files' as const, deviceIds: [id], delivery: { fileIds, folder: '/srv' } }
    const batch = await joined[starter].applianceBatches.start({ body })
    expect(batch.delivery?.files.map((file) => file.id)).toEqual(fileIds)
    expect((await finishedBatch(joined[starter], batch.id)).results).toMatchObject([{ state: 'done', reason: null }])
    expect(written.map((bytes) => bytes.equals(content))).toEqual([true, true])
  })

  test('are there for their owner alone, and no client reads them as servers do', async () => {
    const { owner, ownerAtTwo } = joined
    const { id } = await deviceAtOne()
    const delivery = { fileIds: [crypto.randomUUID()], folder: '/srv' }
    const body = { kind: 'send-files' as const, deviceIds: [id], delivery }
    await expect(owner.applianceBatches.start({ body })).rejects.toMatchObject({ status: 404 })
    const fileId = await leave(ownerAtTwo)
    const path = `/cluster/bytes?kind=file&id=${fileId}&for=${ownerAtTwo.user.id}`
    for (const hop of ['', `${Date.now()} one AAAA -`]) {
      const answer = await ownerAtTwo.fetch(path, { headers: { 'x-farhand-hop': hop } })
      expect(Buffer.from(await answer.arrayBuffer()).includes(content.subarray(0, 100))).toBe(false)
    }
  })
})
