/**
 * The audit log: a chain of rows that can only grow, its sealed head, the sealed stubs of removed rows, and counts of
 * events past the limits.
 */
export const auditLog = {
  name: '0017-audit-log',
  up: [
    `CREATE TABLE audit_events (
      id INTEGER PRIMARY KEY NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure')),
      count INTEGER NOT NULL CHECK (count > 0),
      tenantId TEXT,
      actorKind TEXT NOT NULL,
      actorId TEXT,
      actorName TEXT,
      credentialKind TEXT,
      credentialId TEXT,
      address TEXT,
      browser TEXT,
      targetKind TEXT,
      targetId TEXT,
      targetName TEXT,
      deviceId TEXT,
      deviceName TEXT,
      details TEXT NOT NULL,
      previous TEXT NOT NULL,
      hash TEXT NOT NULL,
      seal TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX audit_events_by_tenant ON audit_events (tenantId, id)`,
    `CREATE INDEX audit_events_by_actor ON audit_events (actorId, id)`,
    `CREATE INDEX audit_events_by_device ON audit_events (deviceId, id) WHERE deviceId IS NOT NULL`,
    `CREATE TABLE audit_head (
      id TEXT PRIMARY KEY NOT NULL CHECK (id = 'server'),
      lastId INTEGER NOT NULL,
      hash TEXT NOT NULL,
      seal TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE audit_stubs (
      lastId INTEGER PRIMARY KEY NOT NULL,
      firstId INTEGER NOT NULL,
      firstAt INTEGER NOT NULL,
      lastAt INTEGER NOT NULL,
      cutAt INTEGER NOT NULL,
      hash TEXT NOT NULL,
      seal TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE audit_counts (
      id TEXT PRIMARY KEY NOT NULL,
      kind TEXT NOT NULL,
      outcome TEXT NOT NULL,
      tenantId TEXT,
      actorKind TEXT NOT NULL,
      actorId TEXT,
      actorName TEXT,
      count INTEGER NOT NULL,
      since INTEGER NOT NULL
    ) STRICT`,
    // Readers of the log of changes get the audit log, too: administrators keep seeing everything.
    `INSERT INTO permission_assignments
       (id, owningTenantId, principalKind, principalId, permissionName, effect, scopeKind, scopeId, notes, isEnabled, createdAt)
     SELECT lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
         substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
       owningTenantId, principalKind, principalId, 'appliance.audit.read', effect, scopeKind, scopeId, NULL, isEnabled,
       CAST(unixepoch('subsec') * 1000 AS INTEGER)
     FROM permission_assignments
     WHERE permissionName IN ('server.authorization-logs.read', 'tenant.authorization-logs.read')
       AND principalKind IN ('User', 'UserGroup', 'ServiceAccount') AND madeWith IS NULL`,
    `CREATE TRIGGER audit_events_never_change BEFORE UPDATE ON audit_events
     BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END`,
    `CREATE TRIGGER audit_events_stay BEFORE DELETE ON audit_events
     WHEN OLD.id > ifnull((SELECT max(lastId) FROM audit_stubs), 0)
     BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END`,
    `CREATE TRIGGER audit_events_continue BEFORE INSERT ON audit_events
     WHEN NEW.previous IS NOT ifnull(
       (SELECT hash FROM audit_events ORDER BY id DESC LIMIT 1),
       ifnull((SELECT hash FROM audit_stubs ORDER BY lastId DESC LIMIT 1), '')
     )
     BEGIN SELECT RAISE(ABORT, 'A row of the audit log continues the row before.'); END`,
    `CREATE TRIGGER audit_stubs_never_change BEFORE UPDATE ON audit_stubs
     BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END`,
    `CREATE TRIGGER audit_stubs_stay BEFORE DELETE ON audit_stubs
     BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END`,
    `CREATE TRIGGER audit_head_grows BEFORE UPDATE ON audit_head WHEN NEW.lastId < OLD.lastId
     BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END`,
    `CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head
     BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END`,
  ],
}
