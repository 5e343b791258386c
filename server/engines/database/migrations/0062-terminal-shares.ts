/** Links that share one terminal. */
export const terminalShares = {
  name: '0062-terminal-shares',
  up: [
    `CREATE TABLE terminal_shares (
      id TEXT NOT NULL PRIMARY KEY REFERENCES logon_tokens (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      terminalId TEXT NOT NULL,
      canType INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX terminal_shares_by_terminal ON terminal_shares (deviceId, terminalId)',
  ],
}
