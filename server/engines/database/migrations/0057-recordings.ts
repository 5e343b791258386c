const newId = `lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
  substr(hex(randomblob(2)), 2), hex(randomblob(6))))`

/** Recordings of sessions, and what is recorded. People who give rights get the new ones, which they could give themselves, unless they may do so for a time only. */
export const recordings = {
  name: '0057-recordings',
  up: [
    `CREATE TABLE recordings (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      customerId TEXT,
      deviceId TEXT NOT NULL,
      deviceName TEXT NOT NULL,
      kind TEXT NOT NULL,
      sessionId TEXT NOT NULL,
      personKind TEXT NOT NULL,
      personId TEXT NOT NULL,
      personName TEXT NOT NULL,
      cause TEXT NOT NULL,
      state TEXT NOT NULL,
      problem TEXT,
      startedAt INTEGER NOT NULL,
      endedAt INTEGER,
      bytes INTEGER NOT NULL,
      blocks INTEGER NOT NULL,
      digest TEXT,
      sealedKey TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX recordings_by_tenant ON recordings (tenantId, startedAt)',
    "CREATE INDEX recordings_running ON recordings (state) WHERE state = 'running'",
    `CREATE TABLE recording_policies (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      customerId TEXT REFERENCES customers (id) ON DELETE CASCADE,
      tagId TEXT REFERENCES tags (id) ON DELETE CASCADE,
      mode TEXT NOT NULL,
      retentionDays INTEGER,
      quotaMegabytes INTEGER
    ) STRICT`,
    'CREATE INDEX recording_policies_by_tenant ON recording_policies (tenantId)',
    ...['appliance.recordings.read', 'appliance.recordings.delete'].map(
      (name) => `INSERT INTO permission_assignments
         (id, owningTenantId, principalKind, principalId, permissionName, effect, scopeKind, scopeId, notes, isEnabled, createdAt)
       SELECT ${newId}, owningTenantId, principalKind, principalId, '${name}', effect, scopeKind, scopeId, NULL, isEnabled,
         CAST(unixepoch('subsec') * 1000 AS INTEGER)
       FROM permission_assignments
       WHERE permissionName = 'tenant.permissions.write' AND scopeKind = 'Tenant'
         AND principalKind IN ('User', 'UserGroup') AND madeWith IS NULL
         AND id NOT IN (SELECT assignmentId FROM assignment_ends)`,
    ),
  ],
}
