import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { dayMs, hourMs } from '../../shared/durations.ts'
import type { OpenCall } from '../call/call.ts'
import { fileEnding, folderOf } from './folder.ts'
import { withParent } from '../organization/customer-sites.ts'
import { completeInterrupted } from './interrupted.ts'
import { limitsFor, policiesOf } from './policies.ts'
import { removeRecording, rowsIn } from './recordings.ts'
import type { RecordingRow } from './tables.ts'

/** A file without a row may belong to a recording that is being started. */
const orphanAfterMs = hourMs

/** Removes recordings that are too old, and some of those that take too much space. */
export async function keepRecordings(call: OpenCall): Promise<void> {
  const { app } = call
  const tenants = await app.models.Recording.findAll({ attributes: ['tenantId'], group: ['tenantId'] })
  for (const { tenantId } of tenants) {
    await keepOfTenant(call, tenantId)
  }
}

async function keepOfTenant(call: OpenCall, tenantId: string) {
  const { app } = call
  const policies = await policiesOf(app, tenantId)
  const rows = (await rowsIn(app, { tenantId })).filter(({ state }) => state !== 'running')
  const limitsOf = new Map<string | null, ReturnType<typeof limitsFor>>()
  for (const customerId of new Set(rows.map((row) => row.customerId))) {
    limitsOf.set(customerId, limitsFor(policies, await withParent(app, customerId)))
  }
  const now = app.retentionClock.now()
  const isOld = (row: RecordingRow) => row.startedAt < now - limitsOf.get(row.customerId)!.retentionDays * dayMs
  for (const row of rows.filter(isOld)) {
    await removeRecording(call, row, 'older than the days that recordings are kept')
  }
  const kept = rows.filter((row) => !isOld(row))
  let bytes = app.recorders.bytesOf(tenantId) + bytesIn(kept)
  const ofCustomers = new Map<string, number>()
  const count = (row: RecordingRow, sign: 1 | -1) =>
    limitsOf.get(row.customerId)!.ofCustomers.forEach(({ customerId }) => {
      ofCustomers.set(customerId, (ofCustomers.get(customerId) ?? 0) + sign * row.bytes)
    })
  kept.forEach((row) => count(row, 1))
  for (const row of [...byShare(kept.filter(isByChoice)), ...kept.filter((each) => !isByChoice(each))]) {
    const limits = limitsOf.get(row.customerId)!
    const isAbove = limits.ofCustomers.some(({ customerId, maxBytes }) => (ofCustomers.get(customerId) ?? 0) > maxBytes)
    if (isAbove || bytes > limits.tenantBytes) {
      await removeRecording(call, row, 'no more space for recordings')
      bytes -= row.bytes
      count(row, -1)
    }
  }
}

const bytesIn = (rows: readonly RecordingRow[]) => rows.reduce((sum, row) => sum + row.bytes, 0)

/** Such recordings go first: otherwise a technician could push out, by a few presses, those that a policy requires. */
const isByChoice = ({ cause }: RecordingRow) => cause !== 'policy'

/**
 * Orders recordings from the oldest of the person with the most bytes: nobody pushes out recordings of others by making
 * many (T50).
 */
function byShare(rows: readonly RecordingRow[]): RecordingRow[] {
  const shares = new Map<string, number>()
  const newestFirst = rows.toReversed().map((row) => {
    const share = (shares.get(row.personId) ?? 0) + row.bytes
    shares.set(row.personId, share)
    return { row, share }
  })
  return newestFirst
    .toReversed()
    .toSorted((a, b) => b.share - a.share)
    .map(({ row }) => row)
}

/** Completes recordings that another server closed without their file, and removes files without a row. */
export async function reconcileFiles(call: OpenCall): Promise<void> {
  await completeInterrupted(call)
  await removeOrphans(call)
}

/** Removes files whose row is gone, as after the deletion of a tenant. */
async function removeOrphans({ app }: OpenCall): Promise<void> {
  const folder = folderOf(app)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((each) => each.endsWith(fileEnding))) {
    const isKnown = (await app.models.Recording.count({ where: { id: basename(name, fileEnding) } })) > 0
    // Another job, or another server with the same folder, may have removed the file meanwhile.
    const file = isKnown ? undefined : await stat(join(folder, name)).catch(() => undefined)
    if (file && file.mtimeMs < app.clock.now() - orphanAfterMs) {
      await rm(join(folder, name), { force: true })
    }
  }
}
