/**
 * The key of the page that a session belongs to. Sessions from before have none, and which of them our own page made is
 * unknown: their users sign in again.
 */
export const pageKeys = {
  name: '0012-page-keys',
  up: [`ALTER TABLE sessions ADD COLUMN pageKeyHash TEXT`, `DELETE FROM sessions WHERE logonTokenId IS NULL`],
}
