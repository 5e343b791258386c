import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineCustomer = defineTable('customers', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  notes: textOrNull(),
  createdAt: integer(),
})
export type CustomerRow = RowOf<typeof defineCustomer>
