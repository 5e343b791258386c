/** Wrong answers and used tickets, which all servers of the database count together. */
export const sharedCounts = {
  name: '0077-shared-counts',
  up: [
    `CREATE TABLE wrong_answers (
      id TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL,
      userId TEXT,
      failedSignIns INTEGER NOT NULL,
      lockedUntil INTEGER,
      changedAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX wrong_answers_by_time ON wrong_answers (kind, changedAt)',
    `CREATE TABLE used_tickets (
      id TEXT NOT NULL PRIMARY KEY,
      userId TEXT,
      target TEXT,
      usedAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX used_tickets_by_user ON used_tickets (userId, usedAt)',
    'CREATE INDEX used_tickets_by_end ON used_tickets (expiresAt)',
  ],
}
