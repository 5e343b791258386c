import { systemCall, type App } from '../call/call.ts'
import type { StoredAlert } from './alert-mirror.ts'
import type { Prepared } from './prepare-alert.ts'
import { eventOf, stateOf } from './present.ts'
import type { AlertRow } from './tables.ts'
import { audiencesOf, notifyAudiences } from './receivers.ts'

const goneSql = `UPDATE alert_subjects SET goneAt = $1
  WHERE alertId = $2 AND goneAt IS NULL AND subject IN (SELECT value FROM json_each($3))`

/** Prepares the end of alerts; one that was closed meanwhile stays as it is, and nobody is told twice. */
export function prepareClose(
  app: App,
  alerts: readonly StoredAlert[],
  closedBecause: NonNullable<AlertRow['closedBecause']>,
  actor = systemCall(app).actor,
): Prepared {
  const now = app.clock.now()
  return async (transaction) => {
    const changes = { closedAt: now, changedAt: now, closedBecause, snoozedUntil: null }
    for (const alert of alerts) {
      const where = { id: alert.row.id, closedAt: null }
      const [isThere] = await app.models.Alert.update(changes, { where, transaction })
      if (isThere === 0) {
        continue
      }
      if (closedBecause === 'gone' && stateOf(alert.row, now) !== 'snoozed') {
        const told = JSON.parse(alert.row.toldIds) as string[]
        await notifyAudiences(app, transaction, alert, await audiencesOf(app, alert, told), 'closed')
      }
      if (alert.row.ownerId === null) {
        await app.audit.recordIn(transaction, actor, [eventOf(app, 'alert.closed', alert)])
      }
    }
  }
}

/** Prepares that the causes of subjects of an alert are gone; the last one closes the alert. */
function prepareGone(app: App, alert: StoredAlert, gone: ReadonlySet<string>): Prepared {
  const now = app.clock.now()
  const subjects = alert.subjects.map((one) =>
    one.goneAt === null && gone.has(one.subject) ? { ...one, goneAt: now } : one,
  )
  const close = subjects.every(({ goneAt }) => goneAt !== null)
    ? prepareClose(app, [{ ...alert, subjects }], 'gone')
    : undefined
  return async (transaction) => {
    await app.database.sequelize.query(goneSql, { bind: [now, alert.row.id, JSON.stringify([...gone])], transaction })
    await (close
      ? close(transaction)
      : app.models.Alert.update({ changedAt: now }, { where: { id: alert.row.id }, transaction }))
  }
}

/** Stores that the causes of subjects of a rule are gone. */
export async function settle(app: App, ruleId: string, subjects: readonly string[]): Promise<void> {
  const open = app.activeAlerts.openOf(ruleId)
  const byAlert = Map.groupBy(
    subjects.filter((subject) => open.has(subject)),
    (subject) => open.get(subject)!,
  )
  for (const [alertId, gone] of byAlert) {
    const alert = app.activeAlerts.get(alertId)
    if (alert) {
      await app.database.write(prepareGone(app, alert, new Set(gone)))
      gone.forEach((subject) => app.alertSignals.recovered(ruleId, subject, app.clock.monotonic()))
    }
  }
}
