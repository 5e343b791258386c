/** Hash of the code by which an account was invited; null for accounts from before the update. */
export const acceptedInvites = {
  name: '0024-accepted-invites',
  up: [`ALTER TABLE users ADD COLUMN acceptedCodeHash TEXT`],
}
