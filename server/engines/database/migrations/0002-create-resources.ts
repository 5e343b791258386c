/**
 * Resources and holders of rights: customers, groups, tags, service accounts, tokens, settings, the log of changes.
 * User names are unique among users who sign in themselves; those of external users within their tenant.
 */
export const createResources = {
  name: '0002-create-resources',
  up: [
    `CREATE TABLE users_next (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      accountType TEXT NOT NULL DEFAULT 'Interactive',
      userName TEXT NOT NULL COLLATE NOCASE,
      email TEXT NOT NULL COLLATE NOCASE,
      isEmailConfirmed INTEGER NOT NULL DEFAULT 0,
      passwordHash TEXT,
      isPasswordChangeRequired INTEGER NOT NULL DEFAULT 0,
      securityStamp TEXT NOT NULL,
      twoFactorSecret TEXT,
      isTwoFactorEnabled INTEGER NOT NULL DEFAULT 0,
      lastTwoFactorStep INTEGER,
      createdAt INTEGER NOT NULL,
      lastLogin INTEGER,
      failedSignIns INTEGER NOT NULL DEFAULT 0,
      lockedUntil INTEGER
    ) STRICT`,
    `INSERT INTO users_next
      (id, tenantId, userName, email, passwordHash, securityStamp, createdAt, lastLogin, failedSignIns, lockedUntil)
      SELECT id, tenantId, userName, email, passwordHash, lower(hex(randomblob(16))), createdAt, lastLogin,
        failedSignIns, lockedUntil FROM users`,
    `DROP TABLE users`,
    `ALTER TABLE users_next RENAME TO users`,
    `CREATE INDEX users_by_tenant ON users (tenantId)`,
    `CREATE INDEX users_by_email ON users (email)`,
    `CREATE UNIQUE INDEX users_once ON users (userName) WHERE accountType <> 'External'`,
    `CREATE UNIQUE INDEX external_users_once ON users (tenantId, userName) WHERE accountType = 'External'`,

    `CREATE TABLE recovery_codes (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      codeHash TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX recovery_codes_by_user ON recovery_codes (userId)`,
    `CREATE TABLE user_preferences (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX user_preferences_once ON user_preferences (userId, name)`,
    `CREATE TABLE user_storage (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      key TEXT NOT NULL,
      value TEXT NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX user_storage_once ON user_storage (userId, key)`,
    `CREATE TABLE invites (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      inviteeEmail TEXT NOT NULL COLLATE NOCASE,
      activationCode TEXT NOT NULL UNIQUE,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX invites_by_tenant ON invites (tenantId)`,
    `CREATE TABLE tenant_settings (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX tenant_settings_once ON tenant_settings (tenantId, name)`,

    `CREATE TABLE customers (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL COLLATE NOCASE,
      description TEXT,
      notes TEXT,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX customers_once ON customers (tenantId, name)`,
    `ALTER TABLE devices ADD COLUMN customerId TEXT REFERENCES customers (id) ON DELETE SET NULL`,
    `CREATE INDEX devices_by_customer ON devices (customerId)`,
    `CREATE TABLE device_groups (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL COLLATE NOCASE,
      description TEXT,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX device_groups_once ON device_groups (tenantId, name)`,
    `CREATE TABLE device_group_members (
      groupId TEXT NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      PRIMARY KEY (groupId, deviceId)
    ) STRICT`,
    `CREATE INDEX device_group_members_by_device ON device_group_members (deviceId)`,
    `CREATE TABLE user_groups (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL COLLATE NOCASE,
      description TEXT,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX user_groups_once ON user_groups (tenantId, name)`,
    `CREATE TABLE user_group_members (
      groupId TEXT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      PRIMARY KEY (groupId, userId)
    ) STRICT`,
    `CREATE INDEX user_group_members_by_user ON user_group_members (userId)`,
    `CREATE TABLE tags (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX tags_once ON tags (tenantId, name)`,
    `CREATE TABLE device_tags (
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      tagId TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
      PRIMARY KEY (deviceId, tagId)
    ) STRICT`,
    `CREATE INDEX device_tags_by_tag ON device_tags (tagId)`,

    `CREATE TABLE service_accounts (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      description TEXT,
      isEnabled INTEGER NOT NULL DEFAULT 1,
      accessMode TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX service_accounts_once ON service_accounts (ifnull(tenantId, ''), name)`,
    `CREATE TABLE service_account_credentials (
      id TEXT PRIMARY KEY NOT NULL,
      serviceAccountId TEXT NOT NULL REFERENCES service_accounts (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      secretHash TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER,
      revokedAt INTEGER,
      lastUsedAt INTEGER
    ) STRICT`,
    `CREATE INDEX service_account_credentials_by_account ON service_account_credentials (serviceAccountId)`,
    `CREATE TABLE personal_access_tokens (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      secretHash TEXT NOT NULL,
      permissionMode TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      lastUsed INTEGER
    ) STRICT`,
    `CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (userId)`,
    `CREATE TABLE logon_tokens (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      secretHash TEXT NOT NULL,
      sessionCorrelationId TEXT,
      allowedDesktopSessionIds TEXT,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL,
      consumedAt INTEGER
    ) STRICT`,
    `CREATE INDEX logon_tokens_by_user ON logon_tokens (userId)`,
    `CREATE INDEX logon_tokens_by_device ON logon_tokens (deviceId)`,
    `ALTER TABLE sessions ADD COLUMN logonTokenId TEXT REFERENCES logon_tokens (id) ON DELETE CASCADE`,

    `CREATE INDEX permission_assignments_by_scope ON permission_assignments (scopeId)`,
    `CREATE TABLE authorization_change_logs (
      id TEXT PRIMARY KEY NOT NULL,
      actionType TEXT NOT NULL,
      actorPrincipalType TEXT NOT NULL,
      actorPrincipalId TEXT,
      targetType TEXT NOT NULL,
      targetId TEXT NOT NULL,
      owningTenantId TEXT,
      ipAddress TEXT,
      createdAt INTEGER NOT NULL,
      beforeJson TEXT,
      afterJson TEXT
    ) STRICT`,
    // Covers all search columns of the log: a search reads whole entries only for the returned page.
    `CREATE INDEX authorization_change_logs_by_tenant ON authorization_change_logs
      (owningTenantId, createdAt, actionType, actorPrincipalType, targetType, actorPrincipalId, targetId, id)`,
    `CREATE TABLE server_alerts (
      id TEXT PRIMARY KEY NOT NULL,
      message TEXT NOT NULL,
      severity INTEGER NOT NULL,
      isDismissable INTEGER NOT NULL,
      isSticky INTEGER NOT NULL,
      isEnabled INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO server_alerts VALUES ('00000000-0000-0000-0000-000000000001', '', 0, 1, 0, 0)`,

    // The first registration closes permanently with the first user, even if that user is deleted later.
    `CREATE TABLE server_state (
      id TEXT PRIMARY KEY NOT NULL,
      hasHadUsers INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO server_state SELECT 'server', EXISTS (SELECT 1 FROM users)`,
    `CREATE TRIGGER users_remembered AFTER INSERT ON users BEGIN
      UPDATE server_state SET hasHadUsers = 1 WHERE hasHadUsers = 0;
    END`,
  ],
}
