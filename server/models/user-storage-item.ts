import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineUserStorageItem = defineTable('user_storage', {
  id: key(),
  userId: text(),
  key: text(),
  value: text(),
})
export type UserStorageItemRow = RowOf<typeof defineUserStorageItem>
