import type { ContactService } from '../../shared/dtos/contact-method.ts'
import {
  boolean,
  defineTable,
  integer,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'
import { deliveryColumns } from '../events/delivery-columns.ts'

export const ContactMethod = defineTable('contact_methods', {
  /** The mail of a user has the id of the user. */
  id: key(),
  userId: references('users'),
  service: text<ContactService>(),
  name: text(),
  /** Sealed JSON of address, token and chat; null for mail, which goes to the address of the account. */
  sealedTarget: textOrNull(),
  /** Host of the service, which is no secret; null for mail. */
  host: textOrNull(),
  isOn: boolean(true),
  createdAt: integer(),
}).with({ mirror: null, indexes: { contact_methods_by_user: '(userId)' } })
/** A way to reach a user. */
export type ContactMethodRow = RowOf<typeof ContactMethod>

export const NotificationChoice = defineTable('notification_choices', {
  userId: references('users', key()),
  isNativeOn: boolean(false),
  /** JSON of `QuietHoursDto`; null for none. */
  quietHours: textOrNull(),
}).with({ mirror: null })

export const Notification = defineTable('notifications', {
  id: key(),
  tenantId: references('tenants'),
  alertId: text(),
  kind: text<'opened' | 'closed' | 'reminder'>(),
  title: text(),
  /** JSON: list of texts. */
  lines: text(),
  path: text(),
  /** JSON: devices and permission that a receiver must see at each attempt. */
  about: text(),
  isUrgent: boolean(false),
  createdAt: integer(),
}).with({ mirror: null, indexes: { notifications_by_tenant: '(tenantId)' } })
/** Content that is sent to one or more people. */
export type NotificationRow = RowOf<typeof Notification>

export const NotificationDelivery = defineTable('notification_deliveries', {
  /** Repeated by each attempt; in the order of the rows. */
  id: key(),
  notificationId: references('notifications'),
  methodId: references('contact_methods'),
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
