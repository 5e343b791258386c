/** Network settings of an administrator, in one row. */
export const createNetworkSettings = {
  name: '0011-create-network-settings',
  up: [
    `CREATE TABLE network_settings (
      id TEXT PRIMARY KEY CHECK (id = 'network'),
      isServed INTEGER NOT NULL CHECK (isServed IN (0, 1)),
      port INTEGER NOT NULL,
      names TEXT NOT NULL,
      sealedCertificate TEXT
    ) STRICT`,
    `INSERT INTO network_settings (id, isServed, port, names) VALUES ('network', 0, 5121, '[]')`,
  ],
}
