/** Owner of each open terminal, kept during restarts of the server: agents keep their shells running. */
export const createTerminals = {
  name: '0006-create-terminals',
  up: [
    `CREATE TABLE terminals (
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      owner TEXT NOT NULL,
      PRIMARY KEY (deviceId, id)
    ) STRICT`,
  ],
}
