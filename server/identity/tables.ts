import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const Passkey = defineTable('passkeys', {
  id: t.key(),
  userId: t.references('users'),
  /** Id chosen by the authenticator, in base64url. */
  credentialId: t.text(),
  /** COSE key in base64url. */
  publicKey: t.text(),
  /** Signature counter of the last use; 0 for authenticators without one. */
  counter: t.integer(),
  /** JSON array of the ways to reach the authenticator. */
  transports: t.text(),
  /** Host name that the passkey works for. */
  rpId: t.text(),
  name: t.text(),
  createdAt: t.integer(),
  lastUsedAt: t.integerOrNull(),
}).with({
  mirror: { key: 'userId', except: ['counter', 'lastUsedAt', 'name'] },
  unique: ['credentialId'],
  indexes: { passkeys_by_user: '(userId)' },
})
export type PasskeyRow = RowOf<typeof Passkey>

/** Consecutive wrong answers that no account counts. */
export const WrongAnswer = defineTable('wrong_answers', {
  /** Keyed hash of what is counted: a typed address may be a password. */
  id: t.key(),
  kind: t.text<'stranger' | 'browser' | 'credential'>(),
  /** Null at an unknown address. */
  userId: t.textOrNull(),
  failedSignIns: t.integer(),
  lockedUntil: t.integerOrNull(),
  changedAt: t.integer(),
}).with({ mirror: { key: 'id' }, indexes: { wrong_answers_by_user: '(kind, userId, changedAt)' } })
export type WrongAnswerRow = RowOf<typeof WrongAnswer>

export const RecoveryCode = defineTable('recovery_codes', {
  id: t.key(),
  userId: t.references('users'),
  codeHash: t.text(),
}).with({ mirror: null, indexes: { recovery_codes_by_user: '(userId)' } })
