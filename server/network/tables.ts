import { defineTable } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

/** Network settings of an administrator, in one row. */
export const NetworkSettings = defineTable('network_settings', {
  id: t.check(t.key<'network'>(), "id = 'network'"),
  isServed: t.check(t.boolean(), 'isServed IN (0, 1)'),
  port: t.integer(),
  /** JSON: a list of host names. */
  names: t.text(),
  /** Uploaded custom certificate: JSON, sealed. Null for none. */
  sealedCertificate: t.textOrNull(),
}).with({
  mirror: null,
  statements: ["INSERT INTO network_settings (id, isServed, port, names) VALUES ('network', FALSE, 5121, '[]')"],
})

/** Keys and certificates of this server's identity, in one row. */
export const TlsIdentity = defineTable('tls_identity', {
  id: t.check(t.key<'server'>(), "id = 'server'"),
  /** Sealed, as is `leafKey`. */
  authorityKey: t.text(),
  /** PEM. */
  authorityCertificate: t.text(),
  leafKey: t.text(),
  leafCertificate: t.text(),
}).with({ mirror: null })
