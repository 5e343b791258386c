/** Servers that share the database, and what each of them carries out. */
export const severalServers = {
  name: '0076-several-servers',
  up: [
    `CREATE TABLE servers (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      address TEXT NOT NULL,
      version TEXT NOT NULL,
      startedAt INTEGER NOT NULL,
      aliveUntil INTEGER NOT NULL,
      worksUntil INTEGER NOT NULL
    ) STRICT`,
    `ALTER TABLE batches ADD COLUMN serverId TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE recordings ADD COLUMN serverId TEXT NOT NULL DEFAULT ''`,
  ],
}
