import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineUserNotice = defineTable('user_notices', {
  id: key(),
  userId: text(),
  kind: text<NoticeKind>(),
  /** Name of the acting user at that time. */
  byName: text(),
  /** Name of the token or group concerned, or the new address; null for none. */
  subject: textOrNull(),
  createdAt: integer(),
  /** Session or family of tokens in which the user made the change, and which is not notified; null for other changes. */
  madeIn: textOrNull(),
})
/** A change of a user's account, until the user dismisses the notice. */
export type UserNoticeRow = RowOf<typeof defineUserNotice>
