/**
 * Pending users of several tenants may have the same address, because an invitation reserves none. Invitations hold the
 * rights and groups that stay at acceptance; their times are kept for a day, for the limit of each tenant.
 */
export const invitationsApart = {
  name: '0041-invitations-apart',
  up: [
    `DROP INDEX users_once`,
    `CREATE UNIQUE INDEX users_once ON users (userName) WHERE accountType = 'Interactive'`,
    `CREATE UNIQUE INDEX invited_users_once ON users (tenantId, userName) WHERE accountType = 'Invited'`,
    `ALTER TABLE invites ADD COLUMN startJson TEXT`,
    `CREATE TABLE invite_times (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX invite_times_by_tenant ON invite_times (tenantId, createdAt)`,
  ],
}
