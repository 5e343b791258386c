/** How runs of the server ended, and the last check of the whole database. */
export const endingsOfRuns = {
  name: '0026-endings-of-runs',
  up: [
    // The columns are null while the server runs; a start finds the rows that nobody completed.
    `ALTER TABLE server_runs ADD COLUMN endedAt INTEGER`,
    `ALTER TABLE server_runs ADD COLUMN ending TEXT`,
    `ALTER TABLE server_runs ADD COLUMN reason TEXT`,
    `ALTER TABLE server_runs ADD COLUMN isLogMissing INTEGER NOT NULL DEFAULT 0`,
    `UPDATE server_runs SET endedAt = aliveUntil, ending = 'stopped'`,
    `ALTER TABLE server_state ADD COLUMN integrityCheckedAt INTEGER`,
  ],
}
