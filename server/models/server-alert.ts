import { boolean, defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineServerAlert = defineTable('server_alerts', {
  id: key(),
  message: text(),
  severity: integer(),
  isDismissable: boolean(),
  isSticky: boolean(),
  isEnabled: boolean(),
})
export type ServerAlertRow = RowOf<typeof defineServerAlert>
