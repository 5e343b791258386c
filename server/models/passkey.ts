import { defineTable, integer, integerOrNull, key, type RowOf, text } from './table.ts'

export const definePasskey = defineTable('passkeys', {
  id: key(),
  userId: text(),
  /** Id chosen by the authenticator, in base64url. */
  credentialId: text(),
  /** COSE key in base64url. */
  publicKey: text(),
  /** Signature counter of the last use; 0 for authenticators without one. */
  counter: integer(),
  /** JSON array of the ways to reach the authenticator. */
  transports: text(),
  /** Host name that the passkey works for. */
  rpId: text(),
  name: text(),
  createdAt: integer(),
  lastUsedAt: integerOrNull(),
})
export type PasskeyRow = RowOf<typeof definePasskey>
