import { Op } from 'sequelize'
import { minuteMs } from '../../shared/durations.ts'
import { maxSnoozeMinutes } from '../../shared/dtos/alert.ts'
import type { App } from '../call/call.ts'
import type { StoredAlert } from './alert-mirror.ts'
import { lasts, stateOf } from './present.ts'
import type { AlertSettingsRow } from './tables.ts'
import { administratorsOf, audiencesOf, notifyAudiences, type Audience } from './receivers.ts'

const toldIds = ({ row }: StoredAlert) => JSON.parse(row.toldIds) as string[]

/** Reminds those who were told of alerts whose snooze has ended while their cause is there. */
async function endSnoozes(app: App): Promise<void> {
  const now = app.clock.now()
  for (const alert of app.activeAlerts.all) {
    const { id, snoozedUntil, kind } = alert.row
    // Longer than anybody can choose: the clock was set back since.
    const isTooLong = snoozedUntil !== null && snoozedUntil > now + maxSnoozeMinutes * minuteMs
    if (snoozedUntil !== null && (snoozedUntil <= now || isTooLong)) {
      const audiences = lasts(kind) ? await audiencesOf(app, alert, toldIds(alert)) : []
      await app.database.write(async (transaction) => {
        const where = { id, closedAt: null, snoozedUntil }
        const changes = { snoozedUntil: null, snoozedBy: null, changedAt: now }
        const [isThere] = await app.models.Alert.update(changes, { where, transaction })
        await (isThere > 0 && notifyAudiences(app, transaction, alert, audiences, 'reminder'))
      })
    }
  }
}

/** Choices of the tenants that have a second on call. */
async function secondsOf({ models }: App): Promise<ReadonlyMap<string, AlertSettingsRow>> {
  const rows = await models.AlertSettings.findAll({ where: { secondUserId: { [Op.ne]: null } }, raw: true })
  return new Map(rows.map((row) => [row.tenantId, row]))
}

/** The second on call; administrators who were not told yet, if this person may not see the alert. */
async function secondAudience(app: App, alert: StoredAlert, userId: string): Promise<Audience[]> {
  const audiences = await audiencesOf(app, alert, [userId])
  if (audiences.length > 0) {
    return audiences
  }
  const told = new Set(toldIds(alert))
  const administrators = await administratorsOf(app, alert.row.tenantId)
  return audiencesOf(
    app,
    alert,
    administrators.filter((id) => !told.has(id)),
  )
}

/** Whether nobody has taken up an alert of a rule for who is on call, and the second was not notified. */
function isWaiting(app: App, { row }: StoredAlert, now: number): boolean {
  const rule = row.ruleId === null ? undefined : app.alertRules.get(row.ruleId)
  return rule?.row.receivers === 'on-call' && row.escalatedAt === null && stateOf(row, now) === 'open'
}

/**
 * Returns a function that notifies the second on call of alerts that nobody has acknowledged. The time since an alert was
 * opened is counted by the monotonic clock, from the first call that sees it.
 */
export function followOnCall(app: App): () => Promise<void> {
  const { clock } = app
  /** Monotonic time at which each waiting alert was opened. */
  const openedAt = new Map<string, number>()
  return async () => {
    await endSnoozes(app)
    const now = clock.now()
    const waiting = [...app.activeAlerts.all].filter((alert) => isWaiting(app, alert, now))
    const ids = new Set(waiting.map(({ row }) => row.id))
    openedAt.forEach((_, id) => ids.has(id) || openedAt.delete(id))
    // Once for all alerts, of which hundreds may wait: this runs every second.
    const seconds = waiting.length > 0 ? await secondsOf(app) : undefined
    for (const alert of waiting) {
      const { id, tenantId } = alert.row
      const at = openedAt.get(id) ?? clock.monotonic() - Math.max(0, now - alert.row.openedAt)
      openedAt.set(id, at)
      const { secondUserId = null, afterMinutes = 0 } = seconds?.get(tenantId) ?? {}
      if (secondUserId !== null && clock.monotonic() - at >= afterMinutes * minuteMs) {
        const audiences = await secondAudience(app, alert, secondUserId)
        const told = [...new Set([...toldIds(alert), ...audiences.flatMap(({ userIds }) => userIds)])]
        await app.database.write(async (transaction) => {
          const where = { id, closedAt: null, acknowledgedAt: null, escalatedAt: null }
          const changes = { escalatedAt: now, toldIds: JSON.stringify(told) }
          const [isThere] = await app.models.Alert.update(changes, { where, transaction })
          await (isThere > 0 && notifyAudiences(app, transaction, alert, audiences, 'reminder'))
        })
      }
    }
  }
}
