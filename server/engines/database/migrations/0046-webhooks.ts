/** Events sent to addresses that people choose. */
export const webhooks = {
  name: '0046-webhooks',
  up: [
    `CREATE TABLE webhooks (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      url TEXT NOT NULL,
      kinds TEXT,
      sealedSecret TEXT NOT NULL,
      sealedFormer TEXT,
      formerUntil INTEGER,
      isEnabled INTEGER NOT NULL DEFAULT 1,
      makerKind TEXT NOT NULL,
      makerId TEXT NOT NULL,
      madeWith TEXT,
      createdAt INTEGER NOT NULL,
      lastEventId INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE webhook_deliveries (
      id TEXT NOT NULL PRIMARY KEY,
      webhookId TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      eventId INTEGER NOT NULL,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      createdAt INTEGER NOT NULL,
      nextAt INTEGER,
      lastAt INTEGER,
      status INTEGER,
      answer TEXT,
      UNIQUE (webhookId, eventId)
    ) STRICT`,
    'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhookId, nextAt) WHERE nextAt IS NOT NULL',
  ],
}
