import { defineTable, key, type RowOf, text } from './table.ts'

export const defineRecoveryCode = defineTable('recovery_codes', {
  id: key(),
  userId: text(),
  codeHash: text(),
})
export type RecoveryCodeRow = RowOf<typeof defineRecoveryCode>
