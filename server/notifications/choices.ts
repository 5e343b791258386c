import type { NotificationChoicesBody } from '../../shared/api/appliance-notifications.ts'
import type { QuietHoursDto } from '../../shared/dtos/contact-method.ts'
import type { App, Call } from '../call/call.ts'
import { endOfHours } from '../ground/weekly-hours.ts'

/** Choices of a user, or the usual ones: no quiet hours, and pages stay silent until a browser has been asked. */
export async function choicesOf({ models }: App, userId: string) {
  const row = await models.NotificationChoice.findByPk(userId, { raw: true })
  const quietHours = row?.quietHours ? (JSON.parse(row.quietHours) as QuietHoursDto) : null
  return { isNativeOn: Boolean(row?.isNativeOn), quietHours }
}

/** End of the quiet hours of a user, and whether urgent notifications pass them; undefined outside of them. */
export async function quietOf(app: App, userId: string) {
  const { quietHours } = await choicesOf(app, userId)
  const until = quietHours ? endOfHours(quietHours, app.clock.now()) : undefined
  return until === undefined || !quietHours ? undefined : { until, letsUrgentPass: quietHours.letsUrgentPass }
}

const sentenceOf = ({ days, from, to, timeZone }: QuietHoursDto) =>
  `${from} to ${to} ${timeZone}, from days ${days.join(', ')}`

/** Stores the choices of the caller. What earlier quiet hours hold back is looked at again. */
export async function choose({ app, principal, actor }: Call, body: NotificationChoicesBody): Promise<void> {
  const { isNativeOn, quietHours } = body
  const row = { userId: principal.id, isNativeOn, quietHours: quietHours && JSON.stringify(quietHours) }
  await app.database.write(async (transaction) => {
    await app.models.NotificationChoice.upsert(row, { transaction })
    await app.database.sequelize.query(
      `UPDATE notification_deliveries SET nextAt = $1 WHERE nextAt > $1 AND attempts = 0
        AND methodId IN (SELECT id FROM contact_methods WHERE userId = $2)`,
      { bind: [app.clock.now(), principal.id], transaction },
    )
    const details = { isNativeOn, quietHours: quietHours && sentenceOf(quietHours) }
    await app.audit.recordIn(transaction, actor, [{ kind: 'account.notifications-changed', details }])
    app.database.afterCommit(transaction, () => app.notificationLanes.wake())
  })
}
