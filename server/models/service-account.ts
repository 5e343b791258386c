import { boolean, defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineServiceAccount = defineTable('service_accounts', {
  id: key(),
  /** Null for a server service account. */
  tenantId: textOrNull(),
  name: text(),
  description: textOrNull(),
  isEnabled: boolean(true),
  accessMode: text<'Unrestricted' | 'Restricted'>(),
  createdAt: integer(),
})
export type ServiceAccountRow = RowOf<typeof defineServiceAccount>
