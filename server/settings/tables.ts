import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

/** Setting of the server that an administrator stored; it overrides the default. */
export const ServerSetting = defineTable('server_settings', {
  /** Key without prefix: `AppOptions__SmtpHost`. */
  key: t.key(),
  /** Text as in a settings file; sealed for secrets. */
  value: t.text(),
}).with({ mirror: null })

export const ServerAlert = defineTable('server_alerts', {
  id: t.key(),
  message: t.text(),
  severity: t.integer(),
  isDismissable: t.boolean(),
  isSticky: t.boolean(),
  isEnabled: t.boolean(),
}).with({
  mirror: null,
  statements: [
    "INSERT INTO server_alerts (id, message, severity, isDismissable, isSticky, isEnabled) VALUES ('00000000-0000-0000-0000-000000000001', '', 0, TRUE, FALSE, FALSE)",
  ],
})
export type ServerAlertRow = RowOf<typeof ServerAlert>
