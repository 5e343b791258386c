import type { FindOptions } from 'sequelize'
import { weekMs } from '../../shared/durations.ts'
import type { App, OpenCall } from '../call/call.ts'
import { takeCrashNote } from '../engines/process/crash-note.ts'
import { instant } from '../ground/instant.ts'
import { sleepsOf, type Sleep } from './sleeps.ts'
import type { ServerRunRow } from './tables.ts'
import { warnOfDecommission } from '../settings/decommission.ts'

/**
 * Records this run, and how the one before ended. The row is moved into the database file at once, so that a copy of
 * the file alone shows that the server was running.
 */
export async function beginRun(app: App): Promise<void> {
  const { database, models, log, startedAt, config, servers } = app
  const [last] = await lastRuns(app, 1)
  // Another server began it.
  if (last?.startedAt === startedAt && servers.others.length > 0) {
    return joinRun(app)
  }
  const open = await models.ServerRun.findAll({ where: { endedAt: null }, raw: true })
  const ended = open.map((run): ServerRunRow => Object.assign(run, { endedAt: run.aliveUntil, ending: 'vanished' }))
  // After a crash the server shuts down in order if possible, so its run may already have an end.
  const note = takeCrashNote(config.dataDirectory)
  if (last && note && note.at >= last.startedAt) {
    ended.push({ ...last, endedAt: last.endedAt ?? note.at, ending: 'crashed', reason: note.reason })
  }
  const isLogMissing = open.length > 0 && database.found.isLogMissing
  await database.write(async (transaction) => {
    for (const run of ended) {
      await models.ServerRun.upsert(run, { transaction })
    }
    await models.ServerRun.upsert({ startedAt, aliveUntil: startedAt, isLogMissing }, { transaction })
    if (database.found.wasUnclean) {
      await models.ServerState.update({ integrityCheckedAt: startedAt }, { where: { id: 'server' }, transaction })
    }
  })
  await database.checkpoint()
  await openRetentionClock(app, last?.aliveUntil ?? null)
  await warnOfDecommission(app)
  const unexpected = ended.at(-1)
  if (unexpected) {
    log.warn({ ending: unexpected.ending, reason: unexpected.reason }, 'The server did not stop in order last time.')
  }
  if (isLogMissing) {
    log.warn({}, 'The write-ahead log of the database is missing: the last changes before the copy are lost.')
  }
}

/** Start of this run: several servers have one run together, from the start of the first to the end of the last. */
export async function startOfRun({
  models,
  clock,
  servers,
}: Pick<App, 'models' | 'clock' | 'servers'>): Promise<number> {
  const open = { where: { endedAt: null }, order: [['startedAt', 'DESC']], raw: true } satisfies FindOptions
  const run = servers.others.length === 0 ? null : await models.ServerRun.findOne(open)
  return run?.startedAt ?? clock.now()
}

async function joinRun(app: App): Promise<void> {
  await openRetentionClock(app, (await lastRuns(app, 1))[0]?.aliveUntil ?? null)
  await warnOfDecommission(app)
}

/** Ends the runs of the server whose backup was restored: nobody will note how they ended. */
export const closeRestoredRuns = ({ database, models }: Pick<App, 'database' | 'models'>): Promise<void> =>
  database.write(async (transaction) => {
    const open = await models.ServerRun.findAll({ where: { endedAt: null }, transaction, raw: true })
    for (const { startedAt, aliveUntil } of open) {
      await models.ServerRun.update({ endedAt: aliveUntil, ending: 'restored' }, { where: { startedAt }, transaction })
    }
  })

/** Records the orderly end of this run, unless other servers continue it. */
export async function endRun({ database, models, startedAt, clock, retentionClock, servers }: App): Promise<void> {
  const isLast = (await servers.readOthers()).length === 0
  await database.write(async (transaction) => {
    if (isLast) {
      await models.ServerRun.update({ endedAt: clock.now(), ending: 'stopped' }, { where: { startedAt }, transaction })
    }
    // A server that never runs for an hour would doubt its clock forever.
    await models.ServerState.update({ ...retentionClock.stored }, { where: { id: 'server' }, transaction })
  })
}

const sleepsKept = 20

/** Records that the computer slept, because devices are away after it. */
export function noteSleep({ database, models, startedAt, log }: App, sleep: Sleep): void {
  log.info(
    { from: instant(sleep.from), to: instant(sleep.to) },
    'This computer slept or was paused. Devices reconnect.',
  )
  database
    .write(async (transaction) => {
      const run = await models.ServerRun.findByPk(startedAt, { transaction, raw: true })
      const sleeps = JSON.stringify([...sleepsOf(run), sleep].slice(-sleepsKept))
      await models.ServerRun.update({ sleeps }, { where: { startedAt }, transaction })
    })
    .catch((error: unknown) => log.warn({ err: error }, 'A sleep of this computer could not be recorded.'))
}

/** The newest runs, newest first. */
export const lastRuns = ({ models }: App, limit: number): Promise<ServerRunRow[]> =>
  models.ServerRun.findAll({ order: [['startedAt', 'DESC']], limit, raw: true })

/** Checks the whole database when the last check is a week old, counted from the first recorded run. */
export async function checkIntegrityWeekly({ app }: OpenCall): Promise<void> {
  // PostgreSQL checks its pages by itself.
  if (app.database.kind === 'postgres') {
    return
  }
  const { models, clock } = app
  const [state, first] = await Promise.all([
    models.ServerState.findByPk('server', { raw: true }),
    models.ServerRun.findOne({ order: [['startedAt', 'ASC']], raw: true }),
  ])
  const since = clock.now() - (state?.integrityCheckedAt ?? first?.startedAt ?? 0)
  // A time in the future was noted by a clock that was wrong.
  if (since >= weekMs || since < 0) {
    await checkIntegrity(app)
  }
}

/** Checks the whole database now. Damage ends all writing; a sound database gets the time of the check. */
export async function checkIntegrity({ database, models, clock, log }: App): Promise<void> {
  const problem = await database.checkIntegrity()
  if (problem !== undefined) {
    log.error({ problem }, 'The database is damaged. Nothing is written any more, so that the damage does not grow.')
    return
  }
  await database.write(async (transaction) => {
    await models.ServerState.update({ integrityCheckedAt: clock.now() }, { where: { id: 'server' }, transaction })
  })
}

type RetentionApp = Pick<App, 'clock' | 'database' | 'log' | 'models' | 'retentionClock'>

/** Continues the time of the run before; older versions stored only until when that run was alive. */
async function openRetentionClock(
  { clock, log, models, retentionClock }: RetentionApp,
  aliveUntil: number | null,
): Promise<void> {
  const state = await models.ServerState.findByPk('server', { raw: true })
  retentionClock.open({ retentionAt: state?.retentionAt ?? aliveUntil, doubtedMs: state?.doubtedMs ?? 0 })
  const { doubt } = retentionClock
  if (doubt) {
    const fields = { now: instant(clock.now()), until: instant(doubt.untilMs) }
    log.warn(
      fields,
      'The clock is far ahead of the last run. Old rows are kept longer until it is corrected or followed.',
    )
  }
}

export const storeRetentionClock = ({ database, models, retentionClock }: RetentionApp): Promise<void> =>
  database.write(async (transaction) => {
    await models.ServerState.update({ ...retentionClock.stored }, { where: { id: 'server' }, transaction })
  })
