/** Permanent TLS identity of this server, in one row: its keys are sealed, and the identity moves with the database. */
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
