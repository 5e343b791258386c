import { boolean, check, defineTable, integer, key, text, textOrNull } from '../engines/database/table.ts'

/** Network settings of an administrator, in one row. */
export const NetworkSettings = defineTable('network_settings', {
  id: check(key<'network'>(), "id = 'network'"),
  isServed: check(boolean(), 'isServed IN (0, 1)'),
  port: integer(),
  /** JSON: a list of host names. */
  names: text(),
  /** Uploaded custom certificate: JSON, sealed. Null for none. */
  sealedCertificate: textOrNull(),
}).with({
  mirror: null,
  statements: ["INSERT INTO network_settings (id, isServed, port, names) VALUES ('network', FALSE, 5121, '[]')"],
})

/** Keys and certificates of this server's identity, in one row. */
export const TlsIdentity = defineTable('tls_identity', {
  id: check(key<'server'>(), "id = 'server'"),
  /** Sealed, as is `leafKey`. */
  authorityKey: text(),
  /** PEM. */
  authorityCertificate: text(),
  leafKey: text(),
  leafCertificate: text(),
}).with({ mirror: null })
