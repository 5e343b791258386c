import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { App, OpenCall } from '../call/call.ts'
import { fileEnding, folderOf } from './folder.ts'
import { limitsFor, policiesOf } from './policies.ts'
import { storeEnd } from './recording.ts'
import { removeRecording } from './recordings.ts'
import type { RecordingRow } from './tables.ts'
import { keepWholeBlocks } from './whole-blocks.ts'

const dayMs = 24 * 60 * 60_000
const bytesPerMegabyte = 1_000_000
/** A file without a row may belong to a recording that is being started. */
const orphanAfterMs = 60 * 60_000

const rowsIn = async (app: App, where: { tenantId?: string; state?: 'running' }): Promise<RecordingRow[]> =>
  (await app.models.Recording.findAll({ where, order: [['startedAt', 'ASC']] })).map((row) => row.get({ plain: true }))

/** Ends recordings that a stop of the server without notice has cut off: they keep all blocks that are whole. */
export async function closeInterruptedRecordings({ app, actor }: OpenCall): Promise<void> {
  for (const row of await rowsIn(app, { state: 'running' })) {
    const device = { id: row.deviceId, tenantId: row.tenantId, name: row.deviceName }
    const end = await keepWholeBlocks(app, row).catch((error: unknown) => {
      app.log.warn({ err: error, recordingId: row.id }, 'An interrupted recording cannot be read.')
      return { bytes: 0, blocks: 0, digest: null, endedAt: row.startedAt }
    })
    const problem = 'The server stopped without notice while it was recording.'
    await storeEnd(app, row, { ...end, state: 'interrupted', problem }, actor, device)
  }
}

/** Removes recordings that are too old, and the oldest of those that take too much space. */
export async function keepRecordings(call: OpenCall): Promise<void> {
  const { app } = call
  const tenantIds = new Set((await rowsIn(app, {})).map(({ tenantId }) => tenantId))
  for (const tenantId of tenantIds) {
    await keepOfTenant(call, tenantId)
  }
  await removeOrphans(app)
}

async function keepOfTenant(call: OpenCall, tenantId: string) {
  const { app } = call
  const policies = await policiesOf(app, tenantId)
  const rows = (await rowsIn(app, { tenantId })).filter(({ state }) => state !== 'running')
  const now = app.clock.now()
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  const bytesOf = Map.groupBy(rows, ({ customerId }) => customerId)
  const perCustomer = new Map(
    [...bytesOf].map(([id, ofCustomer]) => [id, ofCustomer.reduce((sum, row) => sum + row.bytes, 0)]),
  )
  for (const row of rows) {
    const limits = limitsFor(policies, row.customerId)
    const ofCustomer = perCustomer.get(row.customerId) ?? 0
    const isOld = row.startedAt < now - limits.retentionDays * dayMs
    const isAbove =
      bytes > limits.tenantQuotaMegabytes * bytesPerMegabyte ||
      (limits.customerQuotaMegabytes !== null && ofCustomer > limits.customerQuotaMegabytes * bytesPerMegabyte)
    if (isOld || isAbove) {
      await removeRecording(
        call,
        row,
        isOld ? 'older than the days that recordings are kept' : 'no more space for recordings',
      )
      bytes -= row.bytes
      perCustomer.set(row.customerId, ofCustomer - row.bytes)
    }
  }
}

/** Removes files whose row is gone, as after the deletion of a tenant. */
async function removeOrphans(app: App) {
  const folder = folderOf(app)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((each) => each.endsWith(fileEnding))) {
    const isKnown = (await app.models.Recording.count({ where: { id: basename(name, fileEnding) } })) > 0
    if (!isKnown && (await stat(join(folder, name))).mtimeMs < app.clock.now() - orphanAfterMs) {
      await rm(join(folder, name), { force: true })
    }
  }
}
