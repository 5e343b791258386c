import { integer, key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineTenant = defineTable('tenants', {
  id: key(),
  name: text(),
  createdAt: integer(),
})
export type TenantRow = RowOf<typeof defineTenant>
