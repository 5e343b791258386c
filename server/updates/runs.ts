import type { Transaction } from 'sequelize'
import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { readActor } from '../ground/actor.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import type { UpdateRunRow } from './tables.ts'
import { recordReplacedLog } from '../audit/replaced-log.ts'
import { asideOf } from './data-copy.ts'
import { readJournal, type Journal } from '../engines/process/program-home.ts'
import { serverAdministrators } from '../assignments/last-administrator.ts'
import { notifyUsers } from '../people/notices.ts'

const runsKept = 50

export async function lastUpdateRuns({ models }: App): Promise<UpdateRunRow[]> {
  const rows = await models.UpdateRun.findAll({ order: [['startedAt', 'DESC']], limit: 10 })
  return rows.map((row) => row.get({ plain: true }))
}

type Started = Pick<UpdateRunRow, 'id' | 'kind' | 'fromVersion' | 'toVersion' | 'isDataRestored'>

/** Records an update before anything is done for it. */
export async function recordStart({ app, actor }: Call | OpenCall, run: Started): Promise<void> {
  const { accounts, models, clock, audit, database, log } = app
  const details = { from: run.fromVersion, to: run.toVersion }
  await database.write(async (transaction) => {
    await models.UpdateRun.create(
      {
        ...run,
        byName: accounts.nameOf(actor.id ?? '') ?? actor.source.name,
        startedAt: clock.now(),
        endedAt: null,
        outcome: null,
        reason: null,
      },
      { transaction },
    )
    const old = await models.UpdateRun.findAll({
      order: [['startedAt', 'DESC']],
      offset: runsKept,
      limit: 100,
      transaction,
    })
    await models.UpdateRun.destroy({ where: { id: old.map(({ id }) => id) }, transaction })
    await audit.recordIn(transaction, actor, [
      run.kind === 'install'
        ? { kind: 'server.update-started', tenantId: null, details }
        : {
            kind: 'server.update-back-started',
            tenantId: null,
            details: { ...details, dataRestored: run.isDataRestored },
          },
    ])
  })
  log.info({ actor, kind: run.kind, ...details }, 'An update was started.')
}

type Ended = Pick<UpdateRunRow, 'kind' | 'fromVersion' | 'toVersion' | 'reason' | 'isDataRestored'> & {
  outcome: NonNullable<UpdateRunRow['outcome']>
}

const isGood = (outcome: Ended['outcome']) => outcome === 'installed' || outcome === 'returned'

const noticeOf = ({ kind, outcome }: Ended): NoticeKind =>
  isGood(outcome) ? (kind === 'install' ? 'server-updated' : 'server-went-back') : 'server-update-failed'

/** Tells every administrator, on the next page and by mail. */
async function tell(app: App, transaction: Transaction, ended: Ended) {
  const principals = await serverAdministrators(app, transaction)
  const people = await app.models.User.findAll({ where: { id: principals }, transaction })
  const subject = isGood(ended.outcome) ? ended.toVersion : `${ended.toVersion}: ${ended.reason ?? ''}`.slice(0, 500)
  const by = { app, principal: { id: null, name: 'Farhand' } }
  const ids = people.map(({ id }) => id)
  await notifyUsers(by, transaction, ids, { kind: noticeOf(ended), subject })
}

/** Records how an update ended: in its row, in the audit log, and to the administrators. */
async function recordEnd(
  { app, actor }: Pick<OpenCall, 'app' | 'actor'>,
  transaction: Transaction,
  id: string,
  ended: Ended,
): Promise<void> {
  const { models, audit, clock } = app
  const { outcome, reason, isDataRestored } = ended
  await models.UpdateRun.update(
    { outcome, reason, isDataRestored, endedAt: clock.now() },
    { where: { id }, transaction },
  )
  const details = {
    from: ended.fromVersion,
    to: ended.toVersion,
    dataRestored: isDataRestored,
    ...(reason !== null && { reason }),
  }
  const kind = ended.kind === 'install' ? 'server.update-installed' : 'server.update-back'
  await audit.recordIn(transaction, actor, [
    { kind, tenantId: null, outcome: isGood(outcome) ? 'success' : 'failure', details },
  ])
  await tell(app, transaction, ended)
}

/** Records that an update ended before this process handed over. */
export async function recordStop(call: Call | OpenCall, run: Started, reason: string) {
  const { app } = call
  const ended = { ...run, outcome: 'stopped', reason } as const
  await app.database.uncheckedWrites(() =>
    app.database.write((transaction) => recordEnd(call, transaction, run.id, ended)),
  )
  app.log.warn({ to: run.toVersion, reason }, 'An update was stopped.')
}

const endOf = (journal: Journal): Ended => ({
  kind: journal.kind,
  fromVersion: journal.from.version,
  toVersion: journal.to.version,
  outcome: journal.outcome ?? 'failed',
  reason: journal.reason,
  isDataRestored: journal.restoreFrom !== null && journal.outcome !== 'installed',
})

function forgotten(run: UpdateRunRow, journal: Journal | undefined): Ended {
  // The data from before this run was put back, so the row of this run does not show its end.
  const isTakenBack = journal?.restoreFrom === run.id
  return isTakenBack
    ? { ...run, outcome: 'returned', reason: null, isDataRestored: true }
    : { ...run, outcome: 'stopped', reason: 'The server ended before anything was changed.', isDataRestored: false }
}

/** Records what the keeper's journal says of updates that have ended. Called at start, and when the keeper has settled one. */
export async function settleRuns(app: App): Promise<void> {
  const { models, database, updateHost } = app
  const journal = updateHost && readJournal(updateHost.home)
  const actor = readActor(journal?.actor)
  let isDataRestored = false
  if (!journal && (await database.all('SELECT 1 FROM update_runs WHERE endedAt IS NULL LIMIT 1')).length === 0) {
    return
  }
  await database.write(async (transaction) => {
    const known = journal && (await models.UpdateRun.findByPk(journal.id, { transaction }))
    if (journal?.step === 'ended' && !known) {
      const { id, kind, startedAt, from, to } = journal
      const row = { id, kind, startedAt, fromVersion: from.version, toVersion: to.version, byName: null }
      const open = { endedAt: null, outcome: null, reason: null, isDataRestored: false }
      await models.UpdateRun.create({ ...row, ...open }, { transaction })
    }
    for (const run of await models.UpdateRun.findAll({ where: { endedAt: null }, transaction })) {
      const isOfJournal = journal?.id === run.id
      if (isOfJournal && journal.step !== 'ended') {
        continue
      }
      const ended = isOfJournal ? endOf(journal) : forgotten(run.get({ plain: true }), journal)
      await recordEnd({ app, actor }, transaction, run.id, ended)
      isDataRestored ||= ended.isDataRestored
      app.log[isGood(ended.outcome) ? 'info' : 'error'](ended, 'An update has ended.')
    }
  })
  if (journal && isDataRestored) {
    await recordReplacedLog(app, actor, asideOf(journal.dataDirectory, journal.id))
  }
}
