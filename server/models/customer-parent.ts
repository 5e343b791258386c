import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineCustomerParent = defineTable('customer_parents', {
  customerId: key(),
  parentId: text(),
})
export type CustomerParentRow = RowOf<typeof defineCustomerParent>
