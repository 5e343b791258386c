/** By what others know this server for ever, in one row: its keys are sealed, and all of it goes where the database goes. */
export const createTlsIdentity = {
  name: '0010-create-tls-identity',
  up: [
    `CREATE TABLE tls_identity (
      id TEXT PRIMARY KEY CHECK (id = 'server'),
      authorityKey TEXT NOT NULL,
      authorityCertificate TEXT NOT NULL,
      leafKey TEXT NOT NULL,
      leafCertificate TEXT NOT NULL
    ) STRICT`,
  ],
}
