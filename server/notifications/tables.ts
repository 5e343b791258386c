import type { ContactService } from '../../shared/dtos/contact-method.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'
import { deliveryColumns } from '../events/delivery-attempts.ts'

export const ContactMethod = defineTable('contact_methods', {
  /** The mail of a user has the id of the user. */
  id: t.key(),
  userId: t.references('users'),
  service: t.text<ContactService>(),
  name: t.text(),
  /** Sealed JSON of address, token and chat; null for mail, which goes to the address of the account. */
  sealedTarget: t.textOrNull(),
  /** Host of the service, which is no secret; null for mail. */
  host: t.textOrNull(),
  isOn: t.boolean(true),
  createdAt: t.integer(),
}).with({ mirror: null, indexes: { contact_methods_by_user: '(userId)' } })
/** A way to reach a user. */
export type ContactMethodRow = RowOf<typeof ContactMethod>

export const NotificationChoice = defineTable('notification_choices', {
  userId: t.references('users', t.key()),
  isNativeOn: t.boolean(false),
  /** JSON of `QuietHoursDto`; null for none. */
  quietHours: t.textOrNull(),
}).with({ mirror: null })

export const Notification = defineTable('notifications', {
  id: t.key(),
  tenantId: t.references('tenants'),
  alertId: t.text(),
  kind: t.text<'opened' | 'closed' | 'reminder'>(),
  title: t.text(),
  /** JSON: list of texts. */
  lines: t.text(),
  path: t.text(),
  /** JSON: devices and permission that a receiver must see at each attempt. */
  about: t.text(),
  isUrgent: t.boolean(false),
  createdAt: t.integer(),
}).with({ mirror: null, indexes: { notifications_by_tenant: '(tenantId)' } })
/** Content that is sent to one or more people. */
export type NotificationRow = RowOf<typeof Notification>

export const NotificationDelivery = defineTable('notification_deliveries', {
  /** Repeated by each attempt; in the order of the rows. */
  id: t.key(),
  notificationId: t.references('notifications'),
  methodId: t.references('contact_methods'),
  ...deliveryColumns,
}).with({
  mirror: null,
  unique: ['notificationId, methodId'],
  indexes: {
    notification_deliveries_due: '(methodId, nextAt) WHERE nextAt IS NOT NULL',
    notification_deliveries_by_method: '(methodId, createdAt)',
  },
})
/** A notification on its way by one contact method. */
export type NotificationDeliveryRow = RowOf<typeof NotificationDelivery>
