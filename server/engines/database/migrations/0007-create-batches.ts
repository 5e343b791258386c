/** Batches. Commands and their output are sealed: both may contain secrets. */
export const createBatches = {
  name: '0007-create-batches',
  up: [
    `CREATE TABLE batches (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      sealedCommand TEXT,
      timeLimitSeconds INTEGER,
      tagId TEXT,
      tagName TEXT,
      createdAt INTEGER NOT NULL,
      finishedAt INTEGER
    ) STRICT`,
    'CREATE INDEX batches_owner ON batches (owner, createdAt)',
    `CREATE TABLE batch_results (
      batchId TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      deviceId TEXT NOT NULL,
      deviceName TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      startedAt INTEGER,
      finishedAt INTEGER,
      exitCode INTEGER,
      sealedLine TEXT,
      sealedOutput TEXT,
      PRIMARY KEY (batchId, deviceId)
    ) STRICT`,
  ],
}
