import { instant, instantOrNull } from '../ground/instant.ts'
import type { ListedWebhookDto, WebhookDeliveryDto, WebhookDto } from '../../shared/api/appliance-webhooks.ts'
import type { App } from '../call/call.ts'
import { kindsOf } from './outbox.ts'
import type { WebhookDeliveryRow, WebhookRow } from './tables.ts'
import type { ListedWebhook } from './webhooks.ts'
import { settingMakerNow } from '../rights/rights.ts'

export const presentWebhook = (app: App, webhook: WebhookRow): WebhookDto => ({
  id: webhook.id,
  name: webhook.name,
  url: webhook.url,
  kinds: kindsOf(webhook) ?? null,
  isEnabled: Boolean(webhook.isEnabled),
  madeBy: app.accounts.nameOf(webhook.makerId) ?? app.serviceAccounts.get(webhook.makerId)?.name ?? null,
  mayAct: settingMakerNow(app, webhook) !== undefined,
  createdAt: instant(webhook.createdAt),
  formerSecretUntil: instantOrNull(webhook.formerUntil),
  dropped: webhook.dropped,
  lastDroppedEventId: webhook.lastDroppedEventId === null ? null : String(webhook.lastDroppedEventId),
})

export const presentDelivery = (delivery: WebhookDeliveryRow): WebhookDeliveryDto => ({
  id: delivery.id,
  eventId: String(delivery.eventId),
  type: delivery.kind,
  state: delivery.state,
  attempts: delivery.attempts,
  createdAt: instant(delivery.createdAt),
  lastAt: instantOrNull(delivery.lastAt),
  nextAt: instantOrNull(delivery.nextAt),
  status: delivery.status,
  answer: delivery.answer,
})

export const presentListed = (app: App, { webhook, lastDelivery, waiting }: ListedWebhook): ListedWebhookDto => ({
  ...presentWebhook(app, webhook),
  lastDelivery: lastDelivery ? presentDelivery(lastDelivery) : null,
  waiting,
})
