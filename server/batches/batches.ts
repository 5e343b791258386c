import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import { z } from 'zod'
import { dayMs } from '../../shared/durations.ts'
import { BatchOutputDto, type BatchDeliveryDto, type BatchState, type StartBatchDto } from '../../shared/dtos/batch.ts'
import { sealCommand } from '../audit/sealed-command.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { inSlices } from '../ground/clock.ts'
import { AppError, conflict, limitReached, found, invalid, notFound } from '../ground/errors.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { BatchRow, BatchResultRow } from './tables.ts'
import type { CountedBatch, ListedResult } from './present.ts'
import { accountOf, ownerOf } from '../ground/principal.ts'
import type { BatchFile } from './batch-files.ts'
import { BatchRun, resultContext } from './batch-run.ts'
import { jobEnded, starterOf } from './job-events.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

const keptMs = 30 * dayMs

/** Maximum number of concurrent batches per owner. */
const maxRunning = { owner: 5, account: 10 }

/** Maximum number of stored batches per owner, and of an account with all its tokens (T44). */
const maxKept = { owner: 20, account: 100 }

const defaultTimeLimitSeconds = 60

/** Maximum stored output per device, and per batch: with many devices, each device's share is smaller. */
const maxOutputBytes = 64 * 1024
const maxOutputBytesOfBatch = 8 * 1024 * 1024

const commandContext = (id: string) => `batches/${id}/command`
const deliveryContext = (id: string) => `batches/${id}/delivery`

const canceledReason = 'You canceled it.'
const cancelMethod = 'cancel-batch'
const Cancellation = z.object({ id: z.string(), endRunning: z.boolean() })

const insertResults = `INSERT INTO batch_results (batchId, place, deviceId, deviceName, state)
  SELECT $1, key, value ->> 'id', value ->> 'name', 'waiting' FROM jsonb_each($2)`

const pruneSql = (column: 'owner' | 'account') => `DELETE FROM batches WHERE id IN (
  SELECT id FROM batches WHERE ${column} = $1 AND finishedAt IS NOT NULL ORDER BY createdAt DESC, id LIMIT -1 OFFSET $2)`

/** Values of a batch without any. */
const noParameters = { command: null, timeLimitSeconds: null, tagId: null, tagName: null }

/** Parameters that depend on the kind. Throws 400 for a missing parameter, 404 for a tag of another tenant. */
async function parametersOf({ app }: Call, readable: DeviceList, request: StartBatchDto) {
  const { kind, deviceIds, command = '', timeLimitSeconds = defaultTimeLimitSeconds, tagId } = request
  if (kind === 'run-command') {
    if (command.trim() === '') {
      throw invalid({ command: ['must not be blank'] })
    }
    // No program can be started with a NUL character, and systems echo the command in the error.
    if (command.includes('\0')) {
      throw invalid({ command: ['must not contain a NUL character'] })
    }
    return { ...noParameters, command, timeLimitSeconds }
  }
  if (kind === 'add-tag' || kind === 'remove-tag') {
    if (tagId === undefined) {
      throw invalid({ tagId: ['is required'] })
    }
    const tag = await app.models.Tag.findByPk(tagId)
    if (!tag || !deviceIds.some((id) => readable.get(id)?.tenantId === tag.tenantId)) {
      throw notFound('tag')
    }
    return { ...noParameters, tagId, tagName: tag.name }
  }
  return noParameters
}

/** Files to send, kept until `release`. Throws 400 without any, and 404 if no server has one any more. */
async function deliveryOf({ app, principal }: Call, { kind, delivery }: StartBatchDto) {
  if (kind !== 'send-files') {
    return { files: [], release: () => {}, shown: null }
  }
  if (!delivery) {
    throw invalid({ delivery: ['is required'] })
  }
  const { fileIds, folder = null, overwrite = false } = delivery
  const owner = ownerOf(principal)
  // Behind a balancer the files may have come to another server.
  const ofOthers = await Promise.all(
    fileIds.map(async (id) =>
      app.batchFiles.find(owner, id) ? undefined : await app.remoteBytes?.batchFile(owner, id),
    ),
  )
  const releases = ofOthers.flatMap((other) => other?.release ?? [])
  const release = () => releases.forEach((each) => each())
  const ownIds = fileIds.filter((_, index) => !ofOthers[index])
  let own: BatchFile[]
  try {
    const used = app.batchFiles.use(owner, ownIds)
    own = used.files
    releases.push(used.release)
  } catch (error) {
    release()
    throw error
  }
  const files = ofOthers.map((other) => other?.file ?? own.shift()!)
  const shown: BatchDeliveryDto = { files: files.map(({ id, name, size }) => ({ id, name, size })), folder, overwrite }
  return { files, release, shown }
}

function startEvent({ sealer }: App, { id, kind, tagName }: BatchRow, command: string | null, devices: number) {
  const details = {
    batch: kind,
    batchId: id,
    devices,
    ...(tagName !== null && { tag: tagName }),
    ...(command !== null && { sealedCommand: sealCommand(sealer, command) }),
  }
  return { kind: 'batch.started', details } as const
}

/** Starts a batch in the background. Throws 400, 404, and 409 while the caller has too many running batches. */
export async function startBatch(call: Call, readable: DeviceList, request: StartBatchDto): Promise<CountedBatch> {
  const { app, actor, principal } = call
  const { kind } = request
  const { command, timeLimitSeconds, tagId, tagName } = await parametersOf(call, readable, request)
  const deviceIds = [...new Set(request.deviceIds)]
  const owner = ownerOf(principal)
  const power = kind === 'restart' || kind === 'shut-down' ? request.power : undefined
  const { files, release, shown } = await deliveryOf(call, request)
  const whose = { owner, account: accountOf(principal) }
  const full = (['owner', 'account'] as const).find((key) => app.batches.countOf(key, whose[key]) >= maxRunning[key])
  if (full) {
    release()
    throw limitReached(`You already have ${maxRunning[full]} running batches. Wait until one ends, or cancel one.`)
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
      power,
      delivery: { files, folder: shown?.folder ?? null, overwrite: shown?.overwrite ?? false },
      maxOutputBytes: Math.min(maxOutputBytes, Math.floor(maxOutputBytesOfBatch / 2 / deviceIds.length)),
    },
  )
  // Added before it is stored, so that concurrent requests cannot exceed the limit.
  app.batches.add(run)
  let batch: BatchRow
  try {
    batch = {
      id,
      ...whose,
      kind,
      sealedCommand: command === null ? null : app.sealer.seal(command, commandContext(id)),
      timeLimitSeconds,
      tagId,
      tagName,
      createdAt: app.clock.now(),
      finishedAt: null,
      power: power ? JSON.stringify(power) : null,
      sealedDelivery: shown && app.sealer.seal(JSON.stringify(shown), deliveryContext(id)),
      serverId: app.servers.id,
    }
    const named = deviceIds.map((deviceId) => {
      const device = readable.get(deviceId)
      return { id: deviceId, name: device ? device.alias || device.name : '' }
    })
    await app.database.write(async (transaction) => {
      await app.models.Batch.create(batch, { transaction })
      const { sequelize } = app.database
      await sequelize.query(insertResults, { bind: [id, JSON.stringify(named)], transaction })
      for (const column of ['owner', 'account'] as const) {
        await sequelize.query(pruneSql(column), { bind: [whose[column], maxKept[column] - 1], transaction })
      }
      await app.audit.recordIn(transaction, actor, [startEvent(app, batch, command, deviceIds.length)])
    })
  } catch (error) {
    app.batches.remove(run)
    release()
    throw error
  }
  app.log.info({ actor, batchId: id, kind, devices: deviceIds.length }, 'A batch was started.')
  void run.work(deviceIds).finally(release)
  return { batch, command, delivery: shown, counts: { waiting: deviceIds.length } }
}

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
  const { id, sealedCommand, sealedDelivery } = batch
  const command = sealedCommand === null ? null : sealer.unseal(sealedCommand, commandContext(id)).toString()
  const text = sealedDelivery === null ? 'null' : sealer.unseal(sealedDelivery, deliveryContext(id)).toString()
  return { batch, command, delivery: JSON.parse(text) as BatchDeliveryDto | null, counts }
}

export async function listBatches(call: Call): Promise<CountedBatch[]> {
  const rows = await call.app.database.all<BatchRow>(
    'SELECT * FROM batches WHERE owner = ? ORDER BY createdAt DESC, id LIMIT ?',
    [ownerOf(call.principal), maxKept.owner],
  )
  const counts = await countsOf(
    call,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => counted(call, row, counts.get(row.id)))
}

/** Finds a batch of the caller. Throws 404 also for a batch of another owner. */
async function ownBatch({ app, principal }: Call, id: string): Promise<BatchRow> {
  const sql = 'SELECT * FROM batches WHERE id = ? AND owner = ?'
  const [row] = await app.database.all<BatchRow>(sql, [id, ownerOf(principal)])
  return found(row, 'batch')
}

export async function getBatch(call: Call, id: string): Promise<{ counted: CountedBatch; results: ListedResult[] }> {
  const batch = await ownBatch(call, id)
  const rows = await call.app.database.all<Omit<BatchResultRow, 'sealedOutput'> & { hasOutput: number }>(
    `SELECT batchId, place, deviceId, deviceName, state, reason, startedAt, finishedAt, exitCode, sealedLine,
      sealedOutput IS NOT NULL AS hasOutput FROM batch_results WHERE batchId = ? ORDER BY place`,
    [id],
  )
  const results: ListedResult[] = []
  const counts: CountedBatch['counts'] = {}
  const running = call.app.batches.get(id)
  for await (const { sealedLine, hasOutput, ...row } of inSlices(rows)) {
    const line = sealedLine && call.app.sealer.unseal(sealedLine, resultContext(id, row.deviceId, 'line')).toString()
    const progress = running?.progressOf(row.deviceId) ?? null
    results.push({ ...row, hasOutput: hasOutput === 1, lastLine: line, progress })
    counts[row.state] = (counts[row.state] ?? 0) + 1
  }
  return { counted: counted(call, batch, counts), results }
}

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

/** Cancels the pending devices of a batch; no effect on a finished batch. */
export async function cancelBatch(call: Call, id: string, endRunning: boolean): Promise<void> {
  const { app, actor } = call
  const { serverId, finishedAt } = await ownBatch(call, id)
  app.log.info({ actor, batchId: id, endRunning }, 'A batch was canceled.')
  if (app.batches.get(id) || finishedAt !== null || !app.cluster) {
    await app.batches.get(id)?.cancel(canceledReason, { endRunning })
  } else {
    const asked = app.cluster.ask(serverId, cancelMethod, { id, endRunning } satisfies z.input<typeof Cancellation>)
    await asked.catch(() => {
      throw new AppError(503, 'The server that runs this batch does not answer. Try again.')
    })
  }
}

/** Cancels batches of this server whose owners ask another one. */
export function answerCancellations({ cluster, batches }: App): void {
  cluster?.answer(cancelMethod, async (body) => {
    const { id, endRunning } = Cancellation.parse(body)
    await batches.get(id)?.cancel(canceledReason, { endRunning })
  })
}

/** Throws 409 for a running batch. */
export async function deleteBatch(call: Call, id: string): Promise<void> {
  const { app, actor } = call
  const { finishedAt, serverId } = await ownBatch(call, id)
  // A batch whose end could not be stored runs nowhere.
  const isElsewhere = finishedAt === null && app.servers.others.some((server) => server.id === serverId)
  if (app.batches.get(id) || isElsewhere) {
    throw conflict('The batch is still running. Cancel it first.')
  }
  await app.database.write((transaction) => app.models.Batch.destroy({ where: { id }, transaction }))
  app.log.info({ actor, batchId: id }, 'A batch was deleted.')
}

/**
 * Closes batches that a restart interrupted. Called at start, before any new work: the principals of the batches are no
 * longer known, so pending devices are canceled and nothing is retried.
 */
export async function closeInterruptedBatches({ app }: OpenCall): Promise<void> {
  const { database, models, clock, events, servers } = app
  const finishedAt = clock.now()
  const interrupted = 'The server restarted while this was running. The outcome is unknown.'
  const canceled = 'The server restarted before this began.'
  if ((await database.all('SELECT 1 FROM batches WHERE finishedAt IS NULL LIMIT 1')).length === 0) {
    return
  }
  await database.write(async (transaction) => {
    const where = { finishedAt: null, serverId: { [Op.notIn]: servers.running } }
    const open = await models.Batch.findAll({ where, raw: true, transaction })
    const batchId = open.map(({ id }) => id)
    const close = (from: BatchState, state: BatchState, reason: string) =>
      models.BatchResult.update({ state, reason, finishedAt }, { where: { state: from, batchId }, transaction })
    await close('running', 'interrupted', interrupted)
    await close('waiting', 'canceled', canceled)
    const ended = open.map(async ({ id, kind, owner }) => {
      const devices = await models.BatchResult.count({ where: { batchId: id }, transaction })
      return jobEnded({ id, kind, devices, at: finishedAt, isInterrupted: true }, starterOf(owner))
    })
    events.appendIn(transaction, await Promise.all(ended))
    await models.Batch.update({ finishedAt }, { where: { id: batchId }, transaction })
  })
}

/** Deletes batches past their retention. */
export const removeOldBatches = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'batches', 'createdAt < ?', app.retentionClock.now() - keptMs)
