import { boolean, defineTable, integer, key, text, textOrNull } from '../database/table.ts'

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

/** Keys and certificates of this server's identity, in one row. */
export const defineTlsIdentity = defineTable('tls_identity', {
  id: key<'server'>(),
  /** Sealed, as is `leafKey`. */
  authorityKey: text(),
  /** PEM. */
  authorityCertificate: text(),
  leafKey: text(),
  leafCertificate: text(),
})
