import { defineTable, key, type RowOf, text } from './table.ts'

export const defineCustomerParent = defineTable('customer_parents', {
  customerId: key(),
  parentId: text(),
})
export type CustomerParentRow = RowOf<typeof defineCustomerParent>
