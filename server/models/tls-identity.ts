import { defineTable, key, text } from './table.ts'

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
