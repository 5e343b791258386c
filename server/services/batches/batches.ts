import { randomUUID } from 'node:crypto'
import { BatchOutputDto, type BatchState, type StartBatchDto } from '../../../shared/dtos/batch.ts'
import type { Call, OpenCall } from '../../call.ts'
import { Turns } from '../../clock.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import type { DeviceList } from '../../mirrors/fleet/device-list.ts'
import type { BatchRow } from '../../models/batch.ts'
import type { BatchResultRow } from '../../models/batch-result.ts'
import type { CountedBatch, ListedResult } from '../../presenters/batch.ts'
import { ownerOf } from '../../principal.ts'
import { BatchRun, resultContext } from './run.ts'

/** Batches of one owner that go on at the same time. */
const maxRunning = 5

/** Batches of one owner that are kept. */
const maxKept = 20

const defaultTimeLimitSeconds = 60

/** What is kept of each output of one device, and of a batch in all: the more devices, the less of each. */
const maxOutputBytes = 64 * 1024
const maxOutputBytesOfBatch = 8 * 1024 * 1024

const commandContext = (id: string) => `batches/${id}/command`

const insertResults = `INSERT INTO batch_results (batchId, place, deviceId, deviceName, state)
  SELECT $1, key, value ->> 'id', value ->> 'name', 'waiting' FROM json_each($2)`

const pruneSql = `DELETE FROM batches WHERE id IN (
  SELECT id FROM batches WHERE owner = $1 AND finishedAt IS NOT NULL ORDER BY createdAt DESC, id LIMIT -1 OFFSET $2)`

/** What only some kinds need. Throws 400 for what is missing, 404 for a tag of another tenant. */
async function parametersOf({ app }: Call, readable: DeviceList, request: StartBatchDto) {
  const { kind, deviceIds, command = '', timeLimitSeconds = defaultTimeLimitSeconds, tagId } = request
  if (kind === 'run-command') {
    if (command.trim() === '') {
      throw invalid({ command: ['must not be blank'] })
    }
    // No program can be started with it, and systems say what they were given when they refuse.
    if (command.includes('\0')) {
      throw invalid({ command: ['must not contain a NUL character'] })
    }
    return { command, timeLimitSeconds, tagId: null, tagName: null }
  }
  if (kind === 'add-tag' || kind === 'remove-tag') {
    if (tagId === undefined) {
      throw invalid({ tagId: ['is required'] })
    }
    const tag = await app.models.Tag.findByPk(tagId)
    if (!tag || !deviceIds.some((id) => readable.get(id)?.tenantId === tag.tenantId)) {
      throw notFound('tag')
    }
    return { command: null, timeLimitSeconds: null, tagId, tagName: tag.name }
  }
  return { command: null, timeLimitSeconds: null, tagId: null, tagName: null }
}

/** Starts the work and answers at once. Throws 400, 404, and 409 while too many batches of the caller go on. */
export async function startBatch(call: Call, readable: DeviceList, request: StartBatchDto): Promise<CountedBatch> {
  const { app, actor, principal } = call
  const { kind } = request
  const { command, timeLimitSeconds, tagId, tagName } = await parametersOf(call, readable, request)
  const deviceIds = [...new Set(request.deviceIds)]
  const owner = ownerOf(principal)
  if (app.batches.countOf(owner) >= maxRunning) {
    throw conflict(`${maxRunning} batches of yours run already. Wait until one has ended, or cancel one.`)
  }
  const id = randomUUID()
  const run = new BatchRun(
    call,
    { id, owner },
    {
      kind,
      command: command ?? '',
      timeLimitSeconds: timeLimitSeconds ?? defaultTimeLimitSeconds,
      tagId: tagId ?? '',
      maxOutputBytes: Math.min(maxOutputBytes, Math.floor(maxOutputBytesOfBatch / 2 / deviceIds.length)),
    },
  )
  // It counts from now on, so that nobody starts many while this one is stored.
  app.batches.add(run)
  const batch: BatchRow = {
    id,
    owner,
    kind,
    sealedCommand: command === null ? null : app.sealer.seal(command, commandContext(id)),
    timeLimitSeconds,
    tagId,
    tagName,
    createdAt: app.clock.now(),
    finishedAt: null,
  }
  const named = deviceIds.map((deviceId) => {
    const device = readable.get(deviceId)
    return { id: deviceId, name: device ? device.alias || device.name : '' }
  })
  try {
    await app.database.write(async (transaction) => {
      await app.models.Batch.create(batch, { transaction })
      const { sequelize } = app.database
      await sequelize.query(insertResults, { bind: [id, JSON.stringify(named)], transaction })
      await sequelize.query(pruneSql, { bind: [owner, maxKept - 1], transaction })
    })
  } catch (error) {
    app.batches.remove(run)
    throw error
  }
  app.log.info({ actor, batchId: id, kind, devices: deviceIds.length }, 'A batch was started.')
  void run.work(deviceIds)
  return { batch, command, counts: { waiting: deviceIds.length } }
}

/** Counts of some batches by id. */
async function countsOf({ app: { database } }: Call, ids: readonly string[]) {
  const rows = await database.all<{ batchId: string; state: BatchState; number: number }>(
    `SELECT batchId, state, count(*) AS number FROM batch_results
      WHERE batchId IN (SELECT value FROM json_each(?)) GROUP BY batchId, state`,
    [JSON.stringify(ids)],
  )
  const counts = new Map<string, CountedBatch['counts']>()
  for (const { batchId, state, number } of rows) {
    counts.set(batchId, { ...counts.get(batchId), [state]: number })
  }
  return counts
}

function counted({ app: { sealer } }: Call, batch: BatchRow, counts: CountedBatch['counts'] = {}): CountedBatch {
  const { id, sealedCommand } = batch
  const command = sealedCommand === null ? null : sealer.unseal(sealedCommand, commandContext(id)).toString()
  return { batch, command, counts }
}

/** Batches of the caller, newest first. */
export async function listBatches(call: Call): Promise<CountedBatch[]> {
  const rows = await call.app.database.all<BatchRow>(
    'SELECT * FROM batches WHERE owner = ? ORDER BY createdAt DESC, id LIMIT ?',
    [ownerOf(call.principal), maxKept],
  )
  const counts = await countsOf(
    call,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => counted(call, row, counts.get(row.id)))
}

/** Throws 404 for one of somebody else, too. */
async function ownBatch({ app, principal }: Call, id: string): Promise<BatchRow> {
  const [row] = await app.database.all<BatchRow>('SELECT * FROM batches WHERE id = ? AND owner = ?', [
    id,
    ownerOf(principal),
  ])
  if (!row) {
    throw notFound('batch')
  }
  return row
}

/** A batch of the caller and what became of each device. */
export async function getBatch(call: Call, id: string): Promise<{ counted: CountedBatch; results: ListedResult[] }> {
  const batch = await ownBatch(call, id)
  const rows = await call.app.database.all<Omit<BatchResultRow, 'sealedOutput'> & { hasOutput: number }>(
    `SELECT batchId, place, deviceId, deviceName, state, reason, startedAt, finishedAt, exitCode, sealedLine,
      sealedOutput IS NOT NULL AS hasOutput FROM batch_results WHERE batchId = ? ORDER BY place`,
    [id],
  )
  const results: ListedResult[] = []
  const counts: CountedBatch['counts'] = {}
  const turns = new Turns()
  for (const { sealedLine, hasOutput, ...row } of rows) {
    const line = sealedLine && call.app.sealer.unseal(sealedLine, resultContext(id, row.deviceId, 'line')).toString()
    results.push({ ...row, hasOutput: hasOutput === 1, lastLine: line })
    counts[row.state] = (counts[row.state] ?? 0) + 1
    if (turns.isOver) {
      await turns.next()
    }
  }
  return { counted: counted(call, batch, counts), results }
}

/** What a command wrote on a device. */
export async function getBatchOutput(call: Call, id: string, deviceId: string): Promise<BatchOutputDto> {
  await ownBatch(call, id)
  const [row] = await call.app.database.all<Pick<BatchResultRow, 'sealedOutput'>>(
    'SELECT sealedOutput FROM batch_results WHERE batchId = ? AND deviceId = ?',
    [id, deviceId],
  )
  if (!row?.sealedOutput) {
    throw notFound('output')
  }
  const text = call.app.sealer.unseal(row.sealedOutput, resultContext(id, deviceId, 'output')).toString()
  return BatchOutputDto.parse(JSON.parse(text))
}

/** Begins nothing more of a batch; of one that has ended nothing is left to cancel. */
export async function cancelBatch(call: Call, id: string, endRunning: boolean): Promise<void> {
  await ownBatch(call, id)
  call.app.log.info({ actor: call.actor, batchId: id, endRunning }, 'A batch was canceled.')
  await call.app.batches.get(id)?.cancel('You canceled it.', { endRunning })
}

/** Throws 409 while it goes on. */
export async function deleteBatch(call: Call, id: string): Promise<void> {
  const { app, actor } = call
  await ownBatch(call, id)
  if (app.batches.get(id)) {
    throw conflict('It still runs. Cancel it first.')
  }
  await app.database.write((transaction) => app.models.Batch.destroy({ where: { id }, transaction }))
  app.log.info({ actor, batchId: id }, 'A batch was deleted.')
}

/**
 * To be called at start, before anything new begins: whoever started a batch is known no more, so nothing of it is
 * begun now, and nothing is done again.
 */
export async function closeInterruptedBatches({ app: { database, models, clock } }: OpenCall): Promise<void> {
  const finishedAt = clock.now()
  const interrupted = 'The server was restarted while this went on. How it ended is not known.'
  const canceled = 'The server was restarted before this began.'
  await database.write(async (transaction) => {
    const close = (from: BatchState, state: BatchState, reason: string) =>
      models.BatchResult.update({ state, reason, finishedAt }, { where: { state: from }, transaction })
    await close('running', 'interrupted', interrupted)
    await close('waiting', 'canceled', canceled)
    await models.Batch.update({ finishedAt }, { where: { finishedAt: null }, transaction })
  })
}
