import { defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineCustomerContact = defineTable('customer_contacts', {
  id: key(),
  customerId: text(),
  /** Order in the list, from 0. */
  place: integer(),
  name: text(),
  role: text(),
  email: text(),
  phone: text(),
})
export type CustomerContactRow = RowOf<typeof defineCustomerContact>
