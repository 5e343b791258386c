/**
 * Accounts that somebody else than the owner of the address may have registered; the accounts that guests and batches count
 * for.
 */
export const makers = {
  name: '0084-makers',
  up: [
    'ALTER TABLE users ADD COLUMN isUnproven INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE users ADD COLUMN makerId TEXT',
    "ALTER TABLE batches ADD COLUMN account TEXT NOT NULL DEFAULT ''",
    'CREATE INDEX batches_account ON batches (account, createdAt)',
  ],
}
