import { rm } from 'node:fs/promises'
import { Op, type Transaction, type WhereOptions } from 'sequelize'
import { instant } from '../ground/instant.ts'
import type { RecordingSearch } from '../../shared/api/appliance-recordings.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { conflict, found } from '../ground/errors.ts'
import { pathOf } from './folder.ts'
import type { RecordingRow } from './tables.ts'

/** Recordings of a tenant, newest first. */
export async function searchRecordings(
  { app }: Call,
  tenantId: string,
  { deviceId, personId, kind, before, limit }: RecordingSearch,
): Promise<{ rows: RecordingRow[]; hasMore: boolean }> {
  const rows = await app.models.Recording.findAll({
    where: {
      tenantId,
      ...(deviceId !== undefined && { deviceId }),
      ...(personId !== undefined && { personId }),
      ...(kind !== undefined && { kind }),
      ...(before !== undefined && { startedAt: { [Op.lt]: new Date(before).getTime() } }),
    },
    order: [
      ['startedAt', 'DESC'],
      ['id', 'DESC'],
    ],
    limit: limit + 1,
  })
  return { rows: rows.slice(0, limit).map((row) => row.get({ plain: true })), hasMore: rows.length > limit }
}

/** Rows of recordings, oldest first. */
export const rowsIn = async (app: App, where: WhereOptions<RecordingRow>): Promise<RecordingRow[]> =>
  (await app.models.Recording.findAll({ where, order: [['startedAt', 'ASC']] })).map((row) => row.get({ plain: true }))

/** Throws 404 for a recording of another tenant. */
export async function findRecording({ models }: App, tenantId: string, id: string): Promise<RecordingRow> {
  const row = await models.Recording.findOne({ where: { id, tenantId } })
  return found(row, 'recording').get({ plain: true })
}

/** Deletes file and row. */
export async function removeRecording({ app, actor }: OpenCall, row: RecordingRow, reason?: string): Promise<void> {
  const { id, tenantId, deviceId, deviceName, kind, startedAt } = row
  const device = { id: deviceId, tenantId, name: deviceName }
  const details = { recordingId: id, recording: kind, startedAt: instant(startedAt), reason }
  // First the file: a row without a file says what is missing, a file without a row would be a secret without an owner.
  await rm(pathOf(app, id), { force: true })
  const remove = async (transaction: Transaction) => {
    await app.models.Recording.destroy({ where: { id }, transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'recording.deleted', device, details }])
  }
  await app.database.uncheckedWrites(() => app.database.write(remove))
}

export async function deleteRecording(call: Call, tenantId: string, id: string): Promise<void> {
  const row = await findRecording(call.app, tenantId, id)
  if (row.state === 'running') {
    throw conflict('This recording is still being made. End it, or its session, first.')
  }
  await removeRecording(call, row)
}
