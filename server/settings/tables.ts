import { boolean, defineTable, integer, key, type RowOf, text } from '../database/table.ts'

/** Setting of the server that an administrator stored; it overrides the default. */
export const defineServerSetting = defineTable('server_settings', {
  /** Key without prefix: `AppOptions__SmtpHost`. */
  key: key(),
  /** Text as in a settings file; sealed for secrets. */
  value: text(),
})

export const defineServerAlert = defineTable('server_alerts', {
  id: key(),
  message: text(),
  severity: integer(),
  isDismissable: boolean(),
  isSticky: boolean(),
  isEnabled: boolean(),
})
export type ServerAlertRow = RowOf<typeof defineServerAlert>
