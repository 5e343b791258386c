import { boolean, defineTable, integer, key, type RowOf, text } from '../engines/database/table.ts'

/** Setting of the server that an administrator stored; it overrides the default. */
export const ServerSetting = defineTable('server_settings', {
  /** Key without prefix: `AppOptions__SmtpHost`. */
  key: key(),
  /** Text as in a settings file; sealed for secrets. */
  value: text(),
}).with({ mirror: null })

export const ServerAlert = defineTable('server_alerts', {
  id: key(),
  message: text(),
  severity: integer(),
  isDismissable: boolean(),
  isSticky: boolean(),
  isEnabled: boolean(),
}).with({
  mirror: null,
  statements: [
    "INSERT INTO server_alerts (id, message, severity, isDismissable, isSticky, isEnabled) VALUES ('00000000-0000-0000-0000-000000000001', '', 0, TRUE, FALSE, FALSE)",
  ],
})
export type ServerAlertRow = RowOf<typeof ServerAlert>
