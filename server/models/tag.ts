import { integer, key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineTag = defineTable('tags', {
  id: key(),
  tenantId: text(),
  name: text(),
  type: text<'Unknown' | 'Permission'>(),
  createdAt: integer(),
})
export type TagRow = RowOf<typeof defineTag>
