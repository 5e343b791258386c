/** Start of each open terminal, which outlives restarts of the server. */
export const terminalStarts = {
  name: '0038-terminal-starts',
  up: [
    'ALTER TABLE terminals ADD COLUMN startedAt INTEGER NOT NULL DEFAULT 0',
    'UPDATE terminals SET startedAt = unixepoch() * 1000',
  ],
}
