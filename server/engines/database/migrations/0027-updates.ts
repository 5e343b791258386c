/** Releases that were seen, updates that were made, and agents that follow in rings. */
export const updates = {
  name: '0027-updates',
  up: [
    `CREATE TABLE update_state (
      id TEXT PRIMARY KEY CHECK (id = 'server'),
      newestSignedAt INTEGER NOT NULL,
      release TEXT,
      checkedAt INTEGER NOT NULL,
      problem TEXT
    ) STRICT`,
    `CREATE TABLE update_runs (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('install', 'back')),
      fromVersion TEXT NOT NULL,
      toVersion TEXT NOT NULL,
      byName TEXT,
      startedAt INTEGER NOT NULL,
      endedAt INTEGER,
      outcome TEXT,
      reason TEXT,
      isDataRestored INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE agent_rollouts (
      id INTEGER PRIMARY KEY NOT NULL,
      version TEXT NOT NULL,
      ring INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
      settledAt INTEGER,
      reason TEXT
    ) STRICT`,
    `CREATE TABLE agent_rollout_devices (
      rolloutId INTEGER NOT NULL REFERENCES agent_rollouts (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      ring INTEGER NOT NULL,
      askedAt INTEGER NOT NULL,
      outcome TEXT NOT NULL CHECK (outcome IN ('asked', 'updated', 'failed', 'skipped')),
      reason TEXT,
      PRIMARY KEY (rolloutId, deviceId)
    ) STRICT`,
  ],
}
