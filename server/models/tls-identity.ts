import { defineTable, key, type RowOf, text } from './table.ts'

export const defineTlsIdentity = defineTable('tls_identity', {
  id: key<'server'>(),
  /** Sealed, as is `leafKey`. */
  authorityKey: text(),
  /** PEM. */
  authorityCertificate: text(),
  leafKey: text(),
  leafCertificate: text(),
})
/** Keys and certificates of this server's identity, in one row. */
export type TlsIdentityRow = RowOf<typeof defineTlsIdentity>
