import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineRecoveryCode = defineTable('recovery_codes', {
  id: key(),
  userId: text(),
  codeHash: text(),
})
export type RecoveryCodeRow = RowOf<typeof defineRecoveryCode>
