import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'
import type { EventKind } from '../../shared/dtos/event.ts'
import { isChangeEvent } from './indexed-conditions.ts'
import { deliveryColumns } from './delivery-attempts.ts'

export const ProgramEvent = defineTable('program_events', {
  /** Ascending. Never used twice, because the newest row is always kept. */
  id: t.integerKey(),
  at: t.integer(),
  kind: t.text<EventKind>(),
  /** Null for events of the server. */
  tenantId: t.textOrNull(),
  deviceId: t.textOrNull(),
  /** Id of what the event is about. */
  subject: t.textOrNull(),
  /** Account that caused the event. */
  actorId: t.textOrNull(),
  /** JSON: customer and groups of a device that is deleted, on which rights to see this depend. */
  place: t.textOrNull(),
  /** JSON, as declared for the kind. */
  data: t.text(),
}).with({
  mirror: null,
  indexes: {
    program_events_of_presence: "(deviceId, id) WHERE kind IN ('device.online', 'device.offline')",
    program_events_of_changes: `(at) WHERE ${isChangeEvent}`,
    program_events_of_tenant_changes: `(tenantId, at) WHERE ${isChangeEvent}`,
  },
})
export type ProgramEventRow = RowOf<typeof ProgramEvent>

export const Webhook = defineTable('webhooks', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.text(),
  url: t.text(),
  /** JSON: types and groups of events; null for all. */
  kinds: t.textOrNull(),
  sealedSecret: t.text(),
  /** Secret before the last rotation, which signs too until `formerUntil`. */
  sealedFormer: t.textOrNull(),
  formerUntil: t.integerOrNull(),
  isEnabled: t.boolean(true),
  /** Account that made it, which is asked again for each event. */
  makerKind: t.text<'User' | 'ServiceAccount'>(),
  makerId: t.text(),
  /** Restricted token that the maker used. */
  madeWith: t.textOrNull(),
  createdAt: t.integer(),
  /** Newest event that has a delivery, or needs none. */
  lastEventId: t.integer(),
  /** Deliveries dropped because too many waited, since the last change of the webhook. */
  dropped: t.integer(0),
  lastDroppedEventId: t.integerOrNull(),
}).with({ mirror: null })
export type WebhookRow = RowOf<typeof Webhook>

export const WebhookDelivery = defineTable('webhook_deliveries', {
  /** Sent as `webhook-id`, the same with each attempt. */
  id: t.key(),
  webhookId: t.references('webhooks'),
  eventId: t.integer(),
  kind: t.text(),
  ...deliveryColumns,
}).with({
  mirror: null,
  unique: ['webhookId, eventId'],
  indexes: {
    webhook_deliveries_due: '(webhookId, nextAt) WHERE nextAt IS NOT NULL',
  },
})
export type WebhookDeliveryRow = RowOf<typeof WebhookDelivery>
