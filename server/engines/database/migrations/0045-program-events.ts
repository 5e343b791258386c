/** Events for programs; they begin with this version. */
export const programEvents = {
  name: '0045-program-events',
  up: [
    `CREATE TABLE program_events (
      id INTEGER NOT NULL PRIMARY KEY,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      tenantId TEXT,
      deviceId TEXT,
      subject TEXT,
      actorId TEXT,
      place TEXT,
      data TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX program_events_of_presence ON program_events (deviceId, id)
      WHERE kind IN ('device.online', 'device.offline')`,
  ],
}
