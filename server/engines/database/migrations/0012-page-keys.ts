/**
 * Key of the page that a session belongs to. Earlier sessions have none, and their origin is unknown: their users must
 * sign in again.
 */
export const pageKeys = {
  name: '0012-page-keys',
  up: [`ALTER TABLE sessions ADD COLUMN pageKeyHash TEXT`, `DELETE FROM sessions WHERE logonTokenId IS NULL`],
}
