import { defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineTenant = defineTable('tenants', {
  id: key(),
  name: text(),
  createdAt: integer(),
})
export type TenantRow = RowOf<typeof defineTenant>
