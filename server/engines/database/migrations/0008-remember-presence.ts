/**
 * Evidence of absences, load of the last day in blocks of an hour (`devices/presence.ts`), and the runs of this server, to
 * distinguish absences from downtime.
 */
export const rememberPresence = {
  name: '0008-remember-presence',
  up: [
    `CREATE TABLE device_evidence (
      deviceId TEXT PRIMARY KEY NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      evidence TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE device_loads (
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      samples TEXT NOT NULL,
      PRIMARY KEY (deviceId, hour)
    ) STRICT`,
    `CREATE TABLE server_runs (startedAt INTEGER PRIMARY KEY NOT NULL, aliveUntil INTEGER NOT NULL) STRICT`,
  ],
}
