import { randomUUID } from 'node:crypto'
import type { App } from '../call/call.ts'
import { isOfKinds } from '../events/feed.ts'
import { maySee } from '../events/rights.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import { makerOf } from './webhooks.ts'
import type { WebhookDeliveryRow, WebhookRow } from './tables.ts'

/** Events looked at per transaction. */
const groupLength = 500

export const kindsOf = ({ kinds }: Pick<WebhookRow, 'kinds'>): string[] | undefined =>
  kinds === null ? undefined : (JSON.parse(kinds) as string[])

/** Events that a webhook sends: of its organization and of the server, as far as its maker may see them now. */
function wantedOf(app: App, webhook: WebhookRow, events: readonly ProgramEventRow[]): ProgramEventRow[] {
  const maker = makerOf(app, webhook)
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

/** Stores a delivery for each new event of a webhook. */
async function fillFor(app: App, webhook: WebhookRow): Promise<void> {
  const { database, models, clock, events } = app
  let place = webhook.lastEventId
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
      state: 'waiting',
      attempts: 0,
      createdAt,
      nextAt: createdAt,
      lastAt: null,
      status: null,
      answer: null,
    }))
    // A place that only passes events for others is stored with the next delivery, or after a full group.
    if (deliveries.length > 0 || rows.length === groupLength) {
      await database.write(async (transaction) => {
        const where = { id: webhook.id, lastEventId: webhook.lastEventId }
        const [isThere] = await models.Webhook.update({ lastEventId: last.id }, { where, transaction })
        if (isThere > 0) {
          await models.WebhookDelivery.bulkCreate(deliveries, { transaction })
        }
      })
      webhook.lastEventId = last.id
    }
    place = last.id
  }
}

/** Stores a delivery for each event that a webhook has not looked at yet. */
export async function fillOutbox(app: App): Promise<void> {
  for (const webhook of await app.models.Webhook.findAll({ where: { isEnabled: true }, raw: true })) {
    await fillFor(app, webhook)
  }
}
