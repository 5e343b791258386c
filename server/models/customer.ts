import { integer, key, text, textOrNull } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineCustomer = defineTable('customers', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  notes: textOrNull(),
  createdAt: integer(),
})
export type CustomerRow = RowOf<typeof defineCustomer>
