/** Contact methods of people, and what is sent to them. */
export const notifications = {
  name: '0050-notifications',
  up: [
    `CREATE TABLE contact_methods (
      id TEXT NOT NULL PRIMARY KEY,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      service TEXT NOT NULL,
      name TEXT NOT NULL,
      sealedTarget TEXT,
      host TEXT,
      isOn INTEGER NOT NULL DEFAULT 1,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX contact_methods_by_user ON contact_methods (userId)',
    `CREATE TABLE notification_choices (
      userId TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      isNativeOn INTEGER NOT NULL DEFAULT 0,
      quietHours TEXT
    ) STRICT`,
    `CREATE TABLE notifications (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      alertId TEXT NOT NULL,
      kind TEXT NOT NULL,
      title TEXT NOT NULL,
      lines TEXT NOT NULL,
      path TEXT NOT NULL,
      about TEXT NOT NULL,
      isUrgent INTEGER NOT NULL DEFAULT 0,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX notifications_by_tenant ON notifications (tenantId)',
    `CREATE TABLE notification_deliveries (
      id TEXT NOT NULL PRIMARY KEY,
      notificationId TEXT NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
      methodId TEXT NOT NULL REFERENCES contact_methods (id) ON DELETE CASCADE,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      createdAt INTEGER NOT NULL,
      nextAt INTEGER,
      lastAt INTEGER,
      status INTEGER,
      answer TEXT,
      UNIQUE (notificationId, methodId)
    ) STRICT`,
    'CREATE INDEX notification_deliveries_due ON notification_deliveries (methodId, nextAt) WHERE nextAt IS NOT NULL',
    'CREATE INDEX notification_deliveries_by_method ON notification_deliveries (methodId, createdAt)',
  ],
}
