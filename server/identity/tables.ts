import {
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const Passkey = defineTable('passkeys', {
  id: key(),
  userId: references('users'),
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
}).with({
  mirror: { key: 'userId', except: ['counter', 'lastUsedAt', 'name'] },
  unique: ['credentialId'],
  indexes: { passkeys_by_user: '(userId)' },
})
export type PasskeyRow = RowOf<typeof Passkey>

/** Consecutive wrong answers that no account counts. */
export const WrongAnswer = defineTable('wrong_answers', {
  /** Keyed hash of what is counted: a typed address may be a password. */
  id: key(),
  kind: text<'stranger' | 'browser' | 'credential'>(),
  /** Null at an unknown address. */
  userId: textOrNull(),
  failedSignIns: integer(),
  lockedUntil: integerOrNull(),
  changedAt: integer(),
}).with({ mirror: { key: 'id' }, indexes: { wrong_answers_by_user: '(kind, userId, changedAt)' } })
export type WrongAnswerRow = RowOf<typeof WrongAnswer>

export const RecoveryCode = defineTable('recovery_codes', {
  id: key(),
  userId: references('users'),
  codeHash: text(),
}).with({ mirror: null, indexes: { recovery_codes_by_user: '(userId)' } })
