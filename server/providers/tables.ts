import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const ExternalLogin = defineTable('external_logins', {
  id: t.key(),
  userId: t.references('users'),
  /** Place in the configuration: `a` or `b`. */
  provider: t.text(),
  /** Issuer of the subject: another issuer in the same place knows other people. */
  issuer: t.text(),
  /** Id of the account at its issuer, which never changes. */
  subject: t.text(),
  /** Address or name of the account when it was linked, to recognize it by. */
  name: t.text(),
  createdAt: t.integer(),
  lastUsedAt: t.integerOrNull(),
}).with({ mirror: null, unique: ['userId, provider', 'provider, issuer, subject'] })
/** Account at an identity provider that signs in as a user. */
export type ExternalLoginRow = RowOf<typeof ExternalLogin>
