import { boolean, defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineNetworkSettings = defineTable('network_settings', {
  id: key<'network'>(),
  isServed: boolean(),
  port: integer(),
  /** JSON: a list of host names. */
  names: text(),
  /** Uploaded custom certificate: JSON, sealed. Null for none. */
  sealedCertificate: textOrNull(),
})
/** Network settings of an administrator, in one row. */
export type NetworkSettingsRow = RowOf<typeof defineNetworkSettings>
