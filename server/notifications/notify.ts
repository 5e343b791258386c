import { randomUUID } from 'node:crypto'
import { Op, QueryTypes, type Transaction } from 'sequelize'
import { newDelivery } from '../events/delivery-attempts.ts'
import type { PermissionName } from '../../shared/access.ts'
import { cutText } from '../../shared/cut-text.ts'
import { plural } from '../../shared/plural.ts'
import { systemCall, type App } from '../call/call.ts'
import { orderedId } from '../ground/ordered-id.ts'
import { ensureMail } from './contact-methods.ts'
import type { NotificationDeliveryRow, NotificationRow } from './tables.ts'

/** Notifications that wait for one contact method; beyond, the oldest are dropped. */
const maxWaiting = 100
const maxTitle = 200
const maxLines = 20
const maxLine = 500

/** Rights that a receiver must hold, asked again at each attempt (T43). */
export interface About {
  /** Devices that the texts name; deleted ones are not asked about. */
  deviceIds?: readonly string[]
  permission?: PermissionName
  /** Set if readers of the audit log of the organization may not know the title. */
  isPrivate?: boolean
}

export interface Notification {
  tenantId: string
  /** Receivers; those of another tenant get nothing. */
  userIds: readonly string[]
  alertId: string
  kind: 'opened' | 'closed' | 'reminder'
  title: string
  lines: readonly string[]
  /** Page to open, such as `/alerts/…`. */
  path: `/${string}`
  about?: About
  /** Whether it passes the quiet hours of people who chose that. */
  isUrgent?: boolean
}

/** Characters that turn the direction of what follows: a name could change the sense of the sentence around it. */
const misleading = /\p{Bidi_Control}/gu

/** Makes a text one line of a message: names of devices are texts of strangers (T03). */
const lineOf = (text: string, length: number) =>
  cutText(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(misleading, ''), length)

/** Waiting deliveries beyond the limit of their contact method, oldest first. */
const beyondSql = `SELECT id, methodId FROM (
  SELECT id, methodId, row_number() OVER (PARTITION BY methodId ORDER BY createdAt DESC, id DESC) AS place
  FROM notification_deliveries WHERE nextAt IS NOT NULL AND methodId IN (SELECT value FROM json_each($1))
) AS placed WHERE place > $2`

/** Gives up the oldest of what waits for receivers that take nothing, so that the table does not grow without limit. */
async function dropOldest(app: App, transaction: Transaction, methodIds: readonly string[]): Promise<void> {
  const beyond = await app.database.sequelize.query<Pick<NotificationDeliveryRow, 'id' | 'methodId'>>(beyondSql, {
    bind: [JSON.stringify(methodIds), maxWaiting],
    type: QueryTypes.SELECT,
    transaction,
  })
  if (beyond.length === 0) {
    return
  }
  const reason = `More than ${maxWaiting} notifications waited for this contact method; the oldest were dropped.`
  const changes = { state: 'failed', nextAt: null, answer: reason } as const
  await app.models.NotificationDelivery.update(changes, { where: { id: beyond.map(({ id }) => id) }, transaction })
  const counts = Map.groupBy(beyond, ({ methodId }) => methodId)
  const methods = await app.models.ContactMethod.findAll({ where: { id: [...counts.keys()] }, transaction })
  await app.audit.recordIn(
    transaction,
    systemCall(app).actor,
    methods.map(({ id, userId, service }) => ({
      kind: 'export.notification',
      outcome: 'failure',
      tenantId: app.accounts.get(userId)?.tenantId ?? null,
      target: { kind: 'user', id: userId, name: app.accounts.nameOf(userId) ?? null },
      details: { subject: plural(counts.get(id)!.length, 'alert', 'alerts'), service, reason },
    })),
  )
}

/**
 * Stores what people are to be told, in the transaction of what happened: it is sent after the commit, also by the next
 * start. Contact methods and quiet hours are the choice of each person.
 */
export async function notify(app: App, transaction: Transaction, notification: Notification): Promise<void> {
  const { models, clock, mail } = app
  const { tenantId, alertId, kind, title, lines, path, about = {}, isUrgent = false } = notification
  const where = { id: [...new Set(notification.userIds)], tenantId }
  const users = await models.User.findAll({ where, attributes: ['id', 'isEmailConfirmed'], transaction })
  const userIds = users.map(({ id }) => id)
  await ensureMail(app, transaction, userIds)
  const mailed = users.filter(({ isEmailConfirmed }) => mail.isOn && isEmailConfirmed).map(({ id }) => id)
  const reachable = { [Op.or]: [{ service: { [Op.ne]: 'mail' } }, { id: mailed }] }
  const methods = await models.ContactMethod.findAll({
    where: { userId: userIds, isOn: true, ...reachable },
    transaction,
  })
  if (methods.length === 0) {
    return
  }
  const createdAt = clock.now()
  const row: NotificationRow = {
    id: randomUUID(),
    tenantId,
    alertId,
    kind,
    title: lineOf(title, maxTitle),
    lines: JSON.stringify(lines.slice(0, maxLines).map((line) => lineOf(line, maxLine))),
    path,
    about: JSON.stringify(about),
    isUrgent,
    createdAt,
  }
  await models.Notification.create(row, { transaction })
  const deliveries = methods.map(({ id: methodId }): NotificationDeliveryRow => ({
    id: orderedId(createdAt),
    notificationId: row.id,
    methodId,
    ...newDelivery(createdAt),
  }))
  await models.NotificationDelivery.bulkCreate(deliveries, { transaction })
  await dropOldest(
    app,
    transaction,
    methods.map(({ id }) => id),
  )
  app.database.afterCommit(transaction, () => app.notificationLanes.wake())
}
