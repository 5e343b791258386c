/** Time of the last proof of a session, families of bearer tokens, and hashes instead of invite codes. */
export const signIn = {
  name: '0004-sign-in',
  up: [
    `ALTER TABLE sessions ADD COLUMN provedAt INTEGER NOT NULL DEFAULT 0`,
    `UPDATE sessions SET provedAt = createdAt`,
    `CREATE TABLE token_families (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      generation INTEGER NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX token_families_by_user ON token_families (userId)`,
    // SQLite cannot hash. No code matches an id, and invites this old are removed at start with their pending users.
    `ALTER TABLE invites RENAME COLUMN activationCode TO activationCodeHash`,
    `UPDATE invites SET activationCodeHash = id, createdAt = 0`,
  ],
}
