import { defineTable, key, text } from './table.ts'

export const defineUserPreference = defineTable('user_preferences', {
  id: key(),
  userId: text(),
  name: text(),
  value: text(),
})
