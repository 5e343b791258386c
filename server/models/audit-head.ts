import { defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineAuditHead = defineTable('audit_head', {
  id: key<'server'>(),
  lastId: integer(),
  hash: text(),
  seal: text(),
})
/** Last row of the audit log, sealed: removing the newest rows leaves a head that names more. */
export type AuditHeadRow = RowOf<typeof defineAuditHead>
