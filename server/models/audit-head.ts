import { integer, key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineAuditHead = defineTable('audit_head', {
  id: key<'server'>(),
  lastId: integer(),
  hash: text(),
  seal: text(),
})
/** Last row of the audit log, sealed: removing the newest rows leaves a head that names more. */
export type AuditHeadRow = RowOf<typeof defineAuditHead>
