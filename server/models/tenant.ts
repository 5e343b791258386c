import { defineTable, integer, integerOrNull, key, type RowOf, text } from './table.ts'

export const defineTenant = defineTable('tenants', {
  id: key(),
  name: text(),
  createdAt: integer(),
  /** Time from which people need a second factor; null while none is required. */
  secondFactorFrom: integerOrNull(),
})
export type TenantRow = RowOf<typeof defineTenant>
