import { defineTable, integer, integerOrNull, key, references, type RowOf, text } from '../engines/database/table.ts'

export const ExternalLogin = defineTable('external_logins', {
  id: key(),
  userId: references('users'),
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
}).with({ mirror: null, unique: ['userId, provider', 'provider, issuer, subject'] })
/** Account at an identity provider that signs in as a user. */
export type ExternalLoginRow = RowOf<typeof ExternalLogin>
