/** Instants are milliseconds since 1970 (UTC); ids are lower-case GUIDs. */
export const createTables = {
  name: '0001-create-tables',
  up: [
    `CREATE TABLE tenants (
      id TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE users (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      userName TEXT NOT NULL COLLATE NOCASE UNIQUE,
      email TEXT NOT NULL COLLATE NOCASE UNIQUE,
      passwordHash TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      lastLogin INTEGER,
      failedSignIns INTEGER NOT NULL DEFAULT 0,
      lockedUntil INTEGER
    ) STRICT`,
    `CREATE INDEX users_by_tenant ON users (tenantId)`,
    `CREATE TABLE sessions (
      tokenHash TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      isPersistent INTEGER NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX sessions_by_user ON sessions (userId)`,
    `CREATE TABLE permission_assignments (
      id TEXT PRIMARY KEY NOT NULL,
      owningTenantId TEXT REFERENCES tenants (id) ON DELETE CASCADE,
      principalKind TEXT NOT NULL,
      principalId TEXT NOT NULL,
      permissionName TEXT NOT NULL,
      effect TEXT NOT NULL,
      scopeKind TEXT NOT NULL,
      scopeId TEXT,
      notes TEXT,
      isEnabled INTEGER NOT NULL DEFAULT 1,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX permission_assignments_once ON permission_assignments
      (principalKind, principalId, permissionName, effect, scopeKind, ifnull(scopeId, ''))`,
    `CREATE TABLE installer_keys (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      creatorId TEXT NOT NULL,
      creatorKind TEXT NOT NULL,
      keyType TEXT NOT NULL,
      secretHash TEXT NOT NULL,
      friendlyName TEXT,
      allowedUses INTEGER,
      expiration INTEGER,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX installer_keys_by_tenant ON installer_keys (tenantId)`,
    `CREATE TABLE installer_key_usages (
      id TEXT PRIMARY KEY NOT NULL,
      keyId TEXT NOT NULL REFERENCES installer_keys (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL,
      timestamp INTEGER NOT NULL,
      remoteIpAddress TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX installer_key_usages_by_key ON installer_key_usages (keyId, timestamp)`,
    `CREATE TABLE devices (
      id TEXT PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      createdAt INTEGER NOT NULL,
      lastSeen INTEGER NOT NULL,
      alias TEXT,
      publicKey TEXT,
      publicIpV4 TEXT NOT NULL DEFAULT '',
      publicIpV6 TEXT NOT NULL DEFAULT '',
      name TEXT NOT NULL,
      agentVersion TEXT NOT NULL,
      is64Bit INTEGER NOT NULL,
      osArchitecture INTEGER NOT NULL,
      osDescription TEXT NOT NULL,
      platform INTEGER NOT NULL,
      processorCount INTEGER NOT NULL,
      cpuUtilization REAL NOT NULL,
      totalMemory REAL NOT NULL,
      totalStorage REAL NOT NULL,
      usedMemory REAL NOT NULL,
      usedStorage REAL NOT NULL,
      currentUsers TEXT NOT NULL,
      macAddresses TEXT NOT NULL,
      localIpV4 TEXT NOT NULL,
      localIpV6 TEXT NOT NULL,
      drives TEXT NOT NULL,
      dnsHostName TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX devices_by_tenant ON devices (tenantId)`,
  ],
}
