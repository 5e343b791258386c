import { boolean, defineTable, integer, key, text, textOrNull } from './table.ts'

/** Network settings of an administrator, in one row. */
export const defineNetworkSettings = defineTable('network_settings', {
  id: key<'network'>(),
  isServed: boolean(),
  port: integer(),
  /** JSON: a list of host names. */
  names: text(),
  /** Uploaded custom certificate: JSON, sealed. Null for none. */
  sealedCertificate: textOrNull(),
})
