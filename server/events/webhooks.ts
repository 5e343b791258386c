import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import { maxWebhooks, type WebhookBody } from '../../shared/api/appliance-webhooks.ts'
import type { Call } from '../call/call.ts'
import { limitReached, found, invalid } from '../ground/errors.ts'
import { OutgoingError, parseTarget } from '../engines/outgoing/send-out.ts'
import { makerColumns } from '../rights/maker.ts'
import { newSecret, sealSecret } from './signature.ts'
import type { WebhookDeliveryRow, WebhookRow } from './tables.ts'

/** Time for which a replaced secret still signs, so that receivers can follow. */
const formerMs = dayMs
/** Deliveries shown of a webhook. */
const shownDeliveries = 100

const target = ({ id, name }: Pick<WebhookRow, 'id' | 'name'>) => ({ kind: 'setting', id, name }) as const

/** Origin of an address for the audit log: the rest of the address is often a secret, as at Slack (T16). */
const originOf = ({ url }: Pick<WebhookRow, 'url'>) => new URL(url).origin

function columnsOf({ name, url, kinds, isEnabled }: WebhookBody) {
  try {
    parseTarget(url)
  } catch (error) {
    throw error instanceof OutgoingError ? invalid({ url: [error.message] }) : error
  }
  return { name, url, kinds: kinds ? JSON.stringify(kinds) : null, isEnabled }
}

export interface ListedWebhook {
  webhook: WebhookRow
  /** Delivery of its newest event. */
  lastDelivery: WebhookDeliveryRow | null
  waiting: number
}

export async function listWebhooks({ app: { models } }: Call, tenantId: string): Promise<ListedWebhook[]> {
  const webhooks = await models.Webhook.findAll({ where: { tenantId }, order: ['createdAt', 'id'], raw: true })
  return Promise.all(
    webhooks.map(async (webhook) => {
      const webhookId = webhook.id
      const [lastDelivery, waiting] = await Promise.all([
        models.WebhookDelivery.findOne({ where: { webhookId }, order: [['eventId', 'DESC']], raw: true }),
        models.WebhookDelivery.count({ where: { webhookId, nextAt: { [Op.ne]: null } } }),
      ])
      return { webhook, lastDelivery, waiting }
    }),
  )
}

/** A webhook of a tenant. Throws 404. */
export async function getWebhook({ app: { models } }: Call, tenantId: string, id: string): Promise<WebhookRow> {
  const row = await models.Webhook.findOne({ where: { id, tenantId } })
  return found(row, 'webhook').get({ plain: true })
}

/** Makes a webhook that begins with the next event. Returns its secret, which is shown only once. */
export async function createWebhook(
  { app, principal, actor }: Call,
  tenantId: string,
  body: WebhookBody,
): Promise<{ webhook: WebhookRow; secret: string }> {
  const id = randomUUID()
  const secret = newSecret()
  const webhook: WebhookRow = {
    id,
    tenantId,
    ...columnsOf(body),
    sealedSecret: sealSecret(app, id, secret),
    sealedFormer: null,
    formerUntil: null,
    ...makerColumns(principal),
    createdAt: app.clock.now(),
    lastEventId: app.events.lastId,
    dropped: 0,
    lastDroppedEventId: null,
  }
  await app.database.write(async (transaction) => {
    if ((await app.models.Webhook.count({ where: { tenantId }, transaction })) >= maxWebhooks) {
      throw limitReached(`An organization has at most ${maxWebhooks} webhooks. Delete one first.`)
    }
    await app.models.Webhook.create(webhook, { transaction })
    const event = { kind: 'settings.webhook-created', tenantId, target: target(webhook) } as const
    await app.audit.recordIn(transaction, actor, [{ ...event, details: { url: originOf(webhook) } }])
  })
  return { webhook, secret }
}

/** Changes a webhook. Whoever changes it becomes its maker. */
export async function updateWebhook(call: Call, tenantId: string, id: string, body: WebhookBody): Promise<WebhookRow> {
  const { app, principal, actor } = call
  const before = await getWebhook(call, tenantId, id)
  // Events before the change are not sent: the webhook was off, had another maker, or asked for others.
  const start = { lastEventId: app.events.lastId, dropped: 0, lastDroppedEventId: null }
  const changes = { ...columnsOf(body), ...makerColumns(principal), ...start }
  const details = { url: originOf(body), isEnabled: body.isEnabled }
  await app.database.write(async (transaction) => {
    await app.models.Webhook.update(changes, { where: { id }, transaction })
    const event = { kind: 'settings.webhook-changed', tenantId, target: target({ id, name: body.name }) } as const
    await app.audit.recordIn(transaction, actor, [{ ...event, details }])
  })
  return { ...before, ...changes }
}

export async function deleteWebhook(call: Call, tenantId: string, id: string): Promise<void> {
  const { app, actor } = call
  const webhook = await getWebhook(call, tenantId, id)
  await app.database.write(async (transaction) => {
    await app.models.Webhook.destroy({ where: { id }, transaction })
    const event = { kind: 'settings.webhook-deleted', tenantId, target: target(webhook) } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
}

/** Replaces the secret; the former one still signs for a day. Returns the new one, which is shown only once. */
export async function rotateSecret(call: Call, tenantId: string, id: string): Promise<string> {
  const { app, actor } = call
  const webhook = await getWebhook(call, tenantId, id)
  const secret = newSecret()
  const changes = {
    sealedSecret: sealSecret(app, id, secret),
    sealedFormer: webhook.sealedSecret,
    formerUntil: app.clock.now() + formerMs,
  }
  await app.database.write(async (transaction) => {
    await app.models.Webhook.update(changes, { where: { id }, transaction })
    const event = { kind: 'settings.webhook-secret-replaced', tenantId, target: target(webhook) } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
  return secret
}

/** Newest deliveries of a webhook, newest first. */
export async function listDeliveries(call: Call, tenantId: string, webhookId: string): Promise<WebhookDeliveryRow[]> {
  await getWebhook(call, tenantId, webhookId)
  return call.app.models.WebhookDelivery.findAll({
    where: { webhookId },
    order: [['eventId', 'DESC']],
    limit: shownDeliveries,
    raw: true,
  })
}

/** Sends a delivery once more, with the same id. */
export async function resendDelivery(call: Call, tenantId: string, webhookId: string, id: string): Promise<void> {
  const webhook = await getWebhook(call, tenantId, webhookId)
  const { app, actor } = call
  const again = { state: 'waiting', attempts: 0, createdAt: app.clock.now(), nextAt: app.clock.now() } as const
  await app.database.write(async (transaction) => {
    const delivery = found(
      await app.models.WebhookDelivery.findOne({ where: { id, webhookId }, transaction }),
      'delivery',
    )
    await delivery.update(again, { transaction })
    const details = { event: delivery.kind, deliveryId: id }
    const event = { kind: 'settings.webhook-delivery-repeated', tenantId, target: target(webhook), details } as const
    await app.audit.recordIn(transaction, actor, [event])
    app.database.afterCommit(transaction, () => app.webhookLanes.wake())
  })
}
