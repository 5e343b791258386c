/** How far the clock of each server is ahead of the clock of the database. */
export const serverClocks = {
  name: '0082-server-clocks',
  up: ['ALTER TABLE servers ADD COLUMN clockAheadMs INTEGER NOT NULL DEFAULT 0'],
}
