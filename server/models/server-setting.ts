import { defineTable, key, text } from './table.ts'

/** Setting of the server that an administrator stored; it overrides the default. */
export const defineServerSetting = defineTable('server_settings', {
  /** Key without prefix: `AppOptions__SmtpHost`. */
  key: key(),
  /** Text as in a settings file; sealed for secrets. */
  value: text(),
})
