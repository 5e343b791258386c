import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import { plural } from '../../shared/plural.ts'
import type { AuditEvent } from '../audit/event.ts'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import { deviceRight } from '../fleet/rights.ts'
import type { Principal } from '../ground/principal.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import { failureOf, lookMs, putOff, refused, removeFinished, type Outcome } from '../events/delivery-attempts.ts'
import { startLanes } from '../engines/outgoing/lanes.ts'
import { nextOf } from '../engines/outgoing/retries.ts'
import { holds, personNow } from '../rights/rights.ts'
import { choicesOf, quietOf } from './choices.ts'
import { getMethod } from './contact-methods.ts'
import { messageOf, type Due } from './message.ts'
import type { About } from './notify.ts'
import { send } from './send.ts'
import type { ContactMethodRow } from './tables.ts'

const dueSql = `SELECT d.*, n.tenantId, n.alertId, n.kind, n.title, n.lines, n.path, n.about, n.isUrgent
  FROM notification_deliveries AS d JOIN notifications AS n ON n.id = d.notificationId
  WHERE d.methodId = ? AND d.nextAt <= ? ORDER BY d.createdAt, d.id`

/** Whether a receiver may still see what a notification is about. */
function maySee(app: App, receiver: Principal, { tenantId, about }: Due): boolean {
  const { deviceIds = [], permission } = JSON.parse(about) as About
  const isReadable = deviceRight(app, receiver, 'device.read')
  return (
    receiver.tenantId === tenantId &&
    (permission === undefined ||
      holds(app, receiver, permission, permission.startsWith('server.') ? undefined : tenantId)) &&
    deviceIds.every((id) => {
      const device = app.fleet.get(id)
      return !device || isReadable(device)
    })
  )
}

interface Sent {
  due: readonly Due[]
  outcome: Outcome
}

/** Title for the audit log of the organization. */
const titleOf = ({ title, about }: Due) => ((JSON.parse(about) as About).isPrivate ? '1 alert' : title)

interface Attempts {
  tenantId: string
  subject: string
  attempts: number
  deliveryId?: string
}

const auditEventOf = (
  app: App,
  { userId, service, host }: ContactMethodRow,
  outcome: Outcome,
  { tenantId, subject, attempts, deliveryId }: Attempts,
): AuditEvent<'export.notification'> => ({
  kind: 'export.notification',
  outcome: outcome.isDelivered ? 'success' : 'failure',
  tenantId,
  target: { kind: 'user', id: userId, name: app.accounts.nameOf(userId) ?? null },
  details: {
    subject,
    service,
    host,
    status: outcome.status,
    attempts,
    ...(deliveryId !== undefined && { deliveryId }),
    ...failureOf(outcome),
  },
})

/** Stores the outcome of an attempt; the last one of a message is an entry of the audit log. */
async function store(app: App, method: ContactMethodRow, sent: Sent): Promise<void> {
  const { database, models, audit, clock } = app
  const { isDelivered, status, answer } = sent.outcome
  const now = clock.now()
  await database.write(async (transaction) => {
    const ended: Due[] = []
    for (const [before, alike] of Map.groupBy(sent.due, ({ attempts }) => attempts)) {
      const next = nextOf(before, sent.outcome, now)
      const changes = { ...next, lastAt: now, status, answer }
      // A delivery that was dropped meanwhile stays so.
      const where = { id: alike.map(({ id }) => id), state: 'waiting' } as const
      await models.NotificationDelivery.update(changes, { where, transaction })
      if (next.state !== 'waiting') {
        ended.push(...alike)
      }
    }
    if (isDelivered) {
      // The receiver is back: what waits for a later attempt needs no pause.
      const where = { methodId: method.id, attempts: { [Op.gt]: 0 }, nextAt: { [Op.gt]: now } }
      await models.NotificationDelivery.update({ nextAt: now }, { where, transaction })
    }
    const [first] = ended
    if (first) {
      const event = auditEventOf(app, method, sent.outcome, {
        tenantId: first.tenantId,
        subject: ended.length === 1 ? titleOf(first) : plural(ended.length, 'alert', 'alerts'),
        attempts: Math.max(...ended.map(({ attempts }) => attempts)) + 1,
        deliveryId: first.id,
      })
      await audit.recordIn(transaction, systemCall(app).actor, [event])
    }
  })
}

/** Puts off what quiet hours hold back, and returns the rest. */
async function pastQuietHours(app: App, method: ContactMethodRow, due: readonly Due[]): Promise<readonly Due[]> {
  const quiet = await quietOf(app, method.userId)
  if (!quiet) {
    return due
  }
  const held = due.filter(({ isUrgent }) => !(isUrgent && quiet.letsUrgentPass))
  const where = { id: held.map(({ id }) => id), state: 'waiting' } as const
  await app.database.write((transaction) =>
    app.models.NotificationDelivery.update({ nextAt: quiet.until }, { where, transaction }),
  )
  return due.filter((one) => !held.includes(one))
}

/** Sends what is due by one contact method, as one message, until nothing is. */
async function sendDue(app: App, methodId: string, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
  while (!signal.aborted) {
    const method = await app.models.ContactMethod.findByPk(methodId, { raw: true })
    const due = await app.database.all<Due>(dueSql, [methodId, app.clock.now()])
    if (!method || due.length === 0) {
      return
    }
    const receiver = personNow(app, method.userId)
    if (!receiver) {
      await store(app, method, { due, outcome: refused('The account is gone or disabled.') })
      continue
    }
    const visible = due.filter((one) => maySee(app, receiver, one))
    const hidden = due.filter((one) => !visible.includes(one))
    if (hidden.length > 0) {
      const outcome = refused('The account may no longer see what this is about.')
      await store(app, method, { due: hidden, outcome })
    }
    const now = await pastQuietHours(app, method, visible)
    if (now.length > 0) {
      await putOff(app, now, (values, options) => app.models.NotificationDelivery.update(values, options))
      const { quietHours } = await choicesOf(app, method.userId)
      const message = messageOf(app, now, quietHours?.timeZone ?? 'UTC')
      const outcome = await Promise.race([send(app, method, now[0]!.tenantId, message, signal), stopped])
      // An attempt that the stop interrupts is repeated after the next start, with the same id.
      if (outcome && !signal.aborted) {
        await store(app, method, { due: now, outcome })
      }
    }
  }
}

/**
 * Returns a function that sends now what waits for a time that may be wrong: after a start, and when the clock was set back.
 * Quiet hours hold it back again.
 */
function followClock({ database, models, clock }: App): () => Promise<void> {
  let last: number | undefined
  return async () => {
    const now = clock.now()
    const isStart = last === undefined
    if (isStart || now < last!) {
      // After a start, attempts keep their pauses: a server that ends again and again gives nothing up early.
      const ofBefore = { [Op.or]: [{ attempts: 0 }, { createdAt: { [Op.gt]: now } }] }
      const where = { state: 'waiting' as const, nextAt: { [Op.gt]: now }, ...(isStart && ofBefore) }
      await database.write((transaction) => models.NotificationDelivery.update({ nextAt: now }, { where, transaction }))
    }
    last = now
  }
}

/** Sends notifications as they are stored. Returns a function that stops and waits for what is being stored. */
export function startNotifications(app: App): () => Promise<void> {
  const lookAgain = followClock(app)
  const { stop, wake } = startLanes({
    clock: app.clock,
    lookMs,
    async due() {
      await lookAgain()
      const sql = 'SELECT DISTINCT methodId FROM notification_deliveries WHERE nextAt <= ?'
      const due = await app.database.all<{ methodId: string }>(sql, [app.clock.now()])
      return due.map(({ methodId }) => methodId)
    },
    send: (methodId, signal) => sendDue(app, methodId, signal),
    complain: (error) => app.log.error({ err: error }, 'Notifications could not be sent; retrying.'),
  })
  app.notificationLanes.wake = wake
  return stop
}

/** Sends a test message at once, and says what came back. */
export async function testMethod(call: Call, methodId: string) {
  const { app, principal, actor } = call
  const method = await getMethod(call, methodId)
  const { brandName } = app.config.branding
  const begun = app.clock.monotonic()
  const outcome = await send(app, method, principal.tenantId!, {
    id: randomUUID(),
    title: `Test message from ${brandName}`,
    lines: [`Alerts reach you here.`],
    link: { url: `${mailedOrigin(app)}/account#notifications`, text: `Open ${brandName}` },
    tone: 'good',
  })
  const milliseconds = Math.round(app.clock.monotonic() - begun)
  const attempts = { tenantId: principal.tenantId!, subject: 'a test message', attempts: 1 }
  await app.audit.record(actor, auditEventOf(app, method, outcome, attempts))
  return { ...outcome, milliseconds }
}

/** Removes finished deliveries past their time or number, and contents that no delivery needs. */
export async function removeOldNotifications({ app }: OpenCall): Promise<void> {
  const order = 'createdAt DESC, id DESC'
  await removeFinished(app, { table: 'notification_deliveries', receiver: 'methodId', order, kept: 100 })
  const unneeded = 'NOT EXISTS (SELECT 1 FROM notification_deliveries WHERE notificationId = notifications.id)'
  await deleteWhere(app, 'notifications', unneeded)
}
