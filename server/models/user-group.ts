import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineUserGroup = defineTable('user_groups', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  createdAt: integer(),
})
export type UserGroupRow = RowOf<typeof defineUserGroup>
