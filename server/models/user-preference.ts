import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineUserPreference = defineTable('user_preferences', {
  id: key(),
  userId: text(),
  name: text(),
  value: text(),
})
export type UserPreferenceRow = RowOf<typeof defineUserPreference>
