import { defineTable, key, type RowOf, text } from './table.ts'

export const defineTagColor = defineTable('tag_colors', {
  tagId: key(),
  color: text(),
})
export type TagColorRow = RowOf<typeof defineTagColor>
