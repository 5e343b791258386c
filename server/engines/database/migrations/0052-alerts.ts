/** Rules, the alerts that they open, watched devices, and who is on call. */
export const alerts = {
  name: '0052-alerts',
  up: [
    `CREATE TABLE alert_rules (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      condition TEXT NOT NULL,
      scopeKind TEXT NOT NULL,
      scopeId TEXT,
      receivers TEXT NOT NULL,
      userIds TEXT NOT NULL DEFAULT '[]',
      isEnabled INTEGER NOT NULL DEFAULT 1,
      makerKind TEXT,
      makerId TEXT,
      madeWith TEXT,
      createdAt INTEGER NOT NULL,
      startedAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX alert_rules_of_tenant ON alert_rules (tenantId)',
    `CREATE TABLE alerts (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      ruleId TEXT REFERENCES alert_rules (id) ON DELETE SET NULL,
      ruleName TEXT,
      kind TEXT NOT NULL,
      ownerId TEXT REFERENCES users (id) ON DELETE CASCADE,
      network TEXT,
      openedAt INTEGER NOT NULL,
      lastSince INTEGER NOT NULL,
      changedAt INTEGER NOT NULL,
      acknowledgedAt INTEGER,
      acknowledgedBy TEXT,
      snoozedUntil INTEGER,
      snoozedBy TEXT,
      closedAt INTEGER,
      closedBecause TEXT,
      escalatedAt INTEGER,
      toldIds TEXT NOT NULL DEFAULT '[]'
    ) STRICT`,
    'CREATE INDEX alerts_active ON alerts (tenantId) WHERE closedAt IS NULL',
    'CREATE INDEX alerts_closed ON alerts (tenantId, closedAt) WHERE closedAt IS NOT NULL',
    'CREATE INDEX alerts_of_owner ON alerts (ownerId) WHERE ownerId IS NOT NULL',
    'CREATE INDEX alerts_of_rule ON alerts (ruleId) WHERE ruleId IS NOT NULL',
    `CREATE TABLE alert_subjects (
      alertId TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
      subject TEXT NOT NULL,
      deviceId TEXT REFERENCES devices (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      since INTEGER NOT NULL,
      goneAt INTEGER,
      detail TEXT,
      PRIMARY KEY (alertId, subject)
    ) STRICT`,
    'CREATE INDEX alert_subjects_of_device ON alert_subjects (deviceId) WHERE deviceId IS NOT NULL',
    `CREATE TABLE alert_watches (
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      createdAt INTEGER NOT NULL,
      PRIMARY KEY (userId, deviceId)
    ) STRICT`,
    'CREATE INDEX alert_watches_of_device ON alert_watches (deviceId)',
    `CREATE TABLE alert_settings (
      tenantId TEXT NOT NULL PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
      firstUserId TEXT REFERENCES users (id) ON DELETE SET NULL,
      secondUserId TEXT REFERENCES users (id) ON DELETE SET NULL,
      afterMinutes INTEGER NOT NULL DEFAULT 15
    ) STRICT`,
    `CREATE TABLE alert_place (
      id TEXT NOT NULL PRIMARY KEY,
      lastEventId INTEGER NOT NULL
    ) STRICT`,
  ],
}
