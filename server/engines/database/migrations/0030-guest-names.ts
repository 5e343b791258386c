/** Display names of external users, for the audit log: their user names are ids of another system. */
export const guestNames = {
  name: '0030-guest-names',
  up: [
    `ALTER TABLE users ADD COLUMN guestName TEXT`,
    `UPDATE users SET guestName = (
      SELECT value FROM user_preferences WHERE userId = users.id AND name = 'user-display-name'
    ) WHERE accountType = 'External'`,
  ],
}
