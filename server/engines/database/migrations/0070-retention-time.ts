/** Time by which old rows are removed, which does not jump with the clock. */
export const retentionTime = {
  name: '0070-retention-time',
  up: [
    'ALTER TABLE server_state ADD COLUMN retentionAt INTEGER',
    'ALTER TABLE server_state ADD COLUMN doubtedMs INTEGER NOT NULL DEFAULT 0',
  ],
}
