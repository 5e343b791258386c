/** Connections of devices, for their timeline; recorded from now on. */
export const deviceConnections = {
  name: '0051-device-connections',
  up: [
    `CREATE TABLE device_connections (
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      connectedAt INTEGER NOT NULL,
      endedAt INTEGER,
      cause TEXT,
      PRIMARY KEY (deviceId, connectedAt)
    ) STRICT`,
  ],
}
