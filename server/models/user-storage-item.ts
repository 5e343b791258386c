import { defineTable, key, text } from './table.ts'

export const defineUserStorageItem = defineTable('user_storage', {
  id: key(),
  userId: text(),
  key: text(),
  value: text(),
})
