const signIns = ['sessions', 'token_families']

/** Last use and origin of sign-ins, and the end of personal access tokens. Earlier sign-ins have no origin. */
export const ownAccount = {
  name: '0015-own-account',
  up: [
    ...signIns.flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN lastSeenAt INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE ${table} ADD COLUMN remoteAddress TEXT`,
      `ALTER TABLE ${table} ADD COLUMN userAgent TEXT`,
      `UPDATE ${table} SET lastSeenAt = createdAt`,
    ]),
    `ALTER TABLE personal_access_tokens ADD COLUMN expiresAt INTEGER`,
  ],
}
