import { defineTable, key, type RowOf, text } from './table.ts'

export const defineUserStorageItem = defineTable('user_storage', {
  id: key(),
  userId: text(),
  key: text(),
  value: text(),
})
export type UserStorageItemRow = RowOf<typeof defineUserStorageItem>
