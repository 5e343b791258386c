import { defineTable, key, textOrNull } from './table.ts'

export const defineUserGroupMember = defineTable('user_group_members', {
  groupId: key(),
  userId: key(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
