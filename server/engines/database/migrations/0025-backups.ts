/** Settings and state of backups, in one row. The random id tells copies of this server from those of others. */
export const backups = {
  name: '0025-backups',
  up: [
    `CREATE TABLE backup_state (
      id TEXT PRIMARY KEY CHECK (id = 'server'),
      serverId TEXT NOT NULL,
      publicKey TEXT,
      keyMadeAt INTEGER,
      keyProvedAt INTEGER,
      folder TEXT,
      hour INTEGER NOT NULL DEFAULT 2,
      keepDaily INTEGER NOT NULL DEFAULT 7,
      keepWeekly INTEGER NOT NULL DEFAULT 4,
      keepMonthly INTEGER NOT NULL DEFAULT 6,
      lastAt INTEGER,
      lastBytes INTEGER,
      lastPath TEXT,
      failedAt INTEGER,
      failure TEXT,
      checkedAt INTEGER,
      checkedPath TEXT,
      checkProblem TEXT,
      checkedCounts TEXT,
      noticedAt INTEGER
    ) STRICT`,
    `INSERT INTO backup_state (id, serverId) VALUES ('server', lower(hex(randomblob(16))))`,
  ],
}
