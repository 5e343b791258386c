import { defineTable, integer, integerKey, type RowOf, text } from './table.ts'

export const defineAuditStub = defineTable('audit_stubs', {
  /** Last removed row. */
  lastId: integerKey(),
  firstId: integer(),
  /** Times of the first and the last removed row. */
  firstAt: integer(),
  lastAt: integer(),
  cutAt: integer(),
  /** Hash of the last removed row. */
  hash: text(),
  seal: text(),
})
/** Place of rows removed after their retention, and the hash that the next row continues. */
export type AuditStubRow = RowOf<typeof defineAuditStub>
