/** Passkeys of users, and the accounts at identity providers that sign in as a user. */
export const passkeysAndExternalLogins = {
  name: '0016-passkeys-and-external-logins',
  up: [
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      credentialId TEXT NOT NULL UNIQUE,
      publicKey TEXT NOT NULL,
      counter INTEGER NOT NULL,
      transports TEXT NOT NULL,
      rpId TEXT NOT NULL,
      name TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      lastUsedAt INTEGER
    ) STRICT`,
    'CREATE INDEX passkeys_by_user ON passkeys (userId)',
    `CREATE TABLE external_logins (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      provider TEXT NOT NULL,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      lastUsedAt INTEGER,
      UNIQUE (provider, issuer, subject),
      UNIQUE (userId, provider)
    ) STRICT`,
  ],
}
