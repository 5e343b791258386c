import { boolean, integer, key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineServerAlert = defineTable('server_alerts', {
  id: key(),
  message: text(),
  severity: integer(),
  isDismissable: boolean(),
  isSticky: boolean(),
  isEnabled: boolean(),
})
export type ServerAlertRow = RowOf<typeof defineServerAlert>
