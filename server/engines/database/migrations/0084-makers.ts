/**
 * First password of an account that came by mail, before which somebody else may have made things; the accounts that guests
 * and batches count for.
 */
export const makers = {
  name: '0084-makers',
  up: [
    'ALTER TABLE users ADD COLUMN mailedPasswordAt INTEGER',
    'ALTER TABLE users ADD COLUMN makerId TEXT',
    "ALTER TABLE batches ADD COLUMN account TEXT NOT NULL DEFAULT ''",
    'CREATE INDEX batches_account ON batches (account, createdAt)',
  ],
}
