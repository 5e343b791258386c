import { defineTable, key, text } from './table.ts'

export const defineRecoveryCode = defineTable('recovery_codes', {
  id: key(),
  userId: text(),
  codeHash: text(),
})
