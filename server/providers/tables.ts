import { defineTable, integer, integerOrNull, key, type RowOf, text } from '../database/table.ts'

export const defineExternalLogin = defineTable('external_logins', {
  id: key(),
  userId: text(),
  /** Place in the configuration: `a` or `b`. */
  provider: text(),
  /** Issuer of the subject: another issuer in the same place knows other people. */
  issuer: text(),
  /** Id of the account at its issuer, which never changes. */
  subject: text(),
  /** Address or name of the account when it was linked, to recognize it by. */
  name: text(),
  createdAt: integer(),
  lastUsedAt: integerOrNull(),
})
/** Account at an identity provider that signs in as a user. */
export type ExternalLoginRow = RowOf<typeof defineExternalLogin>
