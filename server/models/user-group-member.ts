import { key, textOrNull } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineUserGroupMember = defineTable('user_group_members', {
  groupId: key(),
  userId: key(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type UserGroupMemberRow = RowOf<typeof defineUserGroupMember>
