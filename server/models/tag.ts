import { defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineTag = defineTable('tags', {
  id: key(),
  tenantId: text(),
  name: text(),
  type: text<'Unknown' | 'Permission'>(),
  createdAt: integer(),
})
export type TagRow = RowOf<typeof defineTag>
