/** Restarts and shutdowns that were ordered for later. */
export const powerOrders = {
  name: '0064-power-orders',
  up: [
    `CREATE TABLE power_orders (
      deviceId TEXT NOT NULL PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      change TEXT NOT NULL,
      person TEXT NOT NULL,
      dueAt INTEGER NOT NULL,
      makerKind TEXT NOT NULL,
      makerId TEXT NOT NULL,
      madeWith TEXT,
      makerName TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    'ALTER TABLE batches ADD COLUMN power TEXT',
  ],
}
