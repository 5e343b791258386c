import { defineTable, key, text } from './table.ts'

export const defineTagColor = defineTable('tag_colors', {
  tagId: key(),
  color: text(),
})
