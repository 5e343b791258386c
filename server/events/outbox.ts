import { randomUUID } from 'node:crypto'
import { QueryTypes, type Transaction } from 'sequelize'
import { systemCall, type App } from '../call/call.ts'
import { newDelivery } from './delivery-attempts.ts'
import { isOfKinds } from './feed.ts'
import { maySee } from './rights.ts'
import type { ProgramEventRow, WebhookDeliveryRow, WebhookRow } from './tables.ts'
import { inSlices } from '../ground/clock.ts'
import { settingMakerNow } from '../rights/rights.ts'

/** Events looked at per transaction, and deliveries dropped at once. */
const groupLength = 500
/** Deliveries that wait for one webhook; beyond, the oldest are dropped: a receiver that is down fills no disk. */
const maxWaiting = 10_000

export const kindsOf = ({ kinds }: Pick<WebhookRow, 'kinds'>): string[] | undefined =>
  kinds === null ? undefined : (JSON.parse(kinds) as string[])

/** Events that a webhook sends: of its organization and of the server, as far as its maker may see them now. */
function wantedOf(app: App, webhook: WebhookRow, events: readonly ProgramEventRow[]): ProgramEventRow[] {
  const maker = settingMakerNow(app, webhook)
  const kinds = kindsOf(webhook)
  return maker
    ? events.filter(
        (event) =>
          (event.tenantId === null || event.tenantId === webhook.tenantId) &&
          isOfKinds(event, kinds) &&
          maySee(app, maker, event),
      )
    : []
}

/**
 * Id of the last event that was looked at, by webhook: events for others move no stored place, and are not looked at
 * again with each further event (T26).
 */
export type Places = Map<string, number>

const oldestSql = `SELECT id, eventId FROM webhook_deliveries WHERE webhookId = $1 AND nextAt IS NOT NULL
  ORDER BY eventId LIMIT (
    SELECT CASE WHEN count(*) > ${maxWaiting} THEN count(*) - ${maxWaiting} + ${groupLength} ELSE 0 END
    FROM webhook_deliveries WHERE webhookId = $1 AND nextAt IS NOT NULL)`

/** Drops the oldest deliveries of a webhook for which too many wait, and says so on the webhook. */
async function dropOldest(app: App, transaction: Transaction, webhook: WebhookRow): Promise<void> {
  const { database, models, audit } = app
  const oldest = await database.sequelize.query<Pick<WebhookDeliveryRow, 'id' | 'eventId'>>(oldestSql, {
    bind: [webhook.id],
    type: QueryTypes.SELECT,
    transaction,
  })
  const last = oldest.at(-1)
  if (!last) {
    return
  }
  await models.WebhookDelivery.destroy({ where: { id: oldest.map(({ id }) => id) }, transaction })
  await models.Webhook.increment({ dropped: oldest.length }, { where: { id: webhook.id }, transaction })
  await models.Webhook.update({ lastDroppedEventId: last.eventId }, { where: { id: webhook.id }, transaction })
  const reason = `More than ${maxWaiting} deliveries waited; the oldest were dropped, up to event ${last.eventId}.`
  await audit.recordIn(transaction, systemCall(app).actor, [
    {
      kind: 'export.webhook-delivery',
      outcome: 'failure',
      tenantId: webhook.tenantId,
      target: { kind: 'setting', id: webhook.id, name: webhook.name },
      details: { event: `${oldest.length} events`, url: new URL(webhook.url).origin, reason },
    },
  ])
}

/** Stores a delivery for each new event of a webhook. */
async function fillFor(app: App, webhook: WebhookRow, places: Places): Promise<void> {
  const { database, models, clock, events } = app
  let place = Math.max(webhook.lastEventId, places.get(webhook.id) ?? 0)
  while (place < events.lastId) {
    const rows = await events.after(place, groupLength)
    const last = rows.at(-1)
    if (!last) {
      return
    }
    const createdAt = clock.now()
    const deliveries = wantedOf(app, webhook, rows).map(({ id: eventId, kind }): WebhookDeliveryRow => ({
      id: randomUUID(),
      webhookId: webhook.id,
      eventId,
      kind,
      ...newDelivery(createdAt),
    }))
    // A place that only passes events for others is stored with the next delivery, or once it is a group further.
    if (deliveries.length > 0 || last.id - webhook.lastEventId >= groupLength) {
      const isStored = await database.write(async (transaction) => {
        const where = { id: webhook.id, lastEventId: webhook.lastEventId }
        const [isThere] = await models.Webhook.update({ lastEventId: last.id }, { where, transaction })
        if (isThere > 0) {
          await models.WebhookDelivery.bulkCreate(deliveries, { transaction })
          await dropOldest(app, transaction, webhook)
        }
        return isThere > 0
      })
      // Changed or deleted meanwhile: the next look begins at its new place.
      if (!isStored) {
        return
      }
      webhook.lastEventId = last.id
    }
    place = last.id
    places.set(webhook.id, place)
  }
}

/** Stores a delivery for each event that a webhook has not looked at yet. Returns the number of enabled webhooks. */
export async function fillOutbox(app: App, places: Places): Promise<number> {
  // Runs after each event, mostly without a webhook: outside of Sequelize this takes a quarter of the time.
  const webhooks = await app.database.all<WebhookRow>('SELECT * FROM webhooks WHERE isEnabled')
  const ids = new Set(webhooks.map(({ id }) => id))
  places.forEach((_, id) => ids.has(id) || places.delete(id))
  for await (const webhook of inSlices(webhooks)) {
    await fillFor(app, webhook, places)
  }
  return webhooks.length
}
