import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineTagColor = defineTable('tag_colors', {
  tagId: key(),
  color: text(),
})
export type TagColorRow = RowOf<typeof defineTagColor>
