import {
  boolean,
  defineTable,
  integer,
  integerKey,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'
import type { EventKind } from '../../shared/dtos/event.ts'
import { isChangeEvent } from './conditions.ts'
import { deliveryColumns } from './delivery-columns.ts'

export const ProgramEvent = defineTable('program_events', {
  /** Ascending. Never used twice, because the newest row is always kept. */
  id: integerKey(),
  at: integer(),
  kind: text<EventKind>(),
  /** Null for events of the server. */
  tenantId: textOrNull(),
  deviceId: textOrNull(),
  /** Id of what the event is about. */
  subject: textOrNull(),
  /** Account that caused the event. */
  actorId: textOrNull(),
  /** JSON: customer and groups of a device that is deleted, on which rights to see this depend. */
  place: textOrNull(),
  /** JSON, as declared for the kind. */
  data: text(),
}).with({
  mirror: null,
  indexes: {
    program_events_of_presence: "(deviceId, id) WHERE kind IN ('device.online', 'device.offline')",
    program_events_of_changes: `(at) WHERE ${isChangeEvent}`,
  },
})
export type ProgramEventRow = RowOf<typeof ProgramEvent>

export const Webhook = defineTable('webhooks', {
  id: key(),
  tenantId: references('tenants'),
  name: text(),
  url: text(),
  /** JSON: types and groups of events; null for all. */
  kinds: textOrNull(),
  sealedSecret: text(),
  /** Secret before the last rotation, which signs too until `formerUntil`. */
  sealedFormer: textOrNull(),
  formerUntil: integerOrNull(),
  isEnabled: boolean(true),
  /** Account that made it, which is asked again for each event. */
  makerKind: text<'User' | 'ServiceAccount'>(),
  makerId: text(),
  /** Restricted token that the maker used. */
  madeWith: textOrNull(),
  createdAt: integer(),
  /** Newest event that has a delivery, or needs none. */
  lastEventId: integer(),
  /** Deliveries dropped because too many waited, since the last change of the webhook. */
  dropped: integer(0),
  /** Newest event whose delivery was dropped. */
  lastDroppedEventId: integerOrNull(),
}).with({ mirror: null })
export type WebhookRow = RowOf<typeof Webhook>

export const WebhookDelivery = defineTable('webhook_deliveries', {
  /** Sent as `webhook-id`, the same with each attempt. */
  id: key(),
  webhookId: references('webhooks'),
  eventId: integer(),
  kind: text(),
  ...deliveryColumns,
}).with({
  mirror: null,
  unique: ['webhookId, eventId'],
  indexes: {
    webhook_deliveries_due: '(webhookId, nextAt) WHERE nextAt IS NOT NULL',
  },
})
export type WebhookDeliveryRow = RowOf<typeof WebhookDelivery>
