/** Account that made an invite. Pending invites from before have no known maker, and last 7 days at most. */
export const makersOfInvites = {
  name: '0043-makers-of-invites',
  up: ['makerKind', 'makerId', 'madeWith'].map((column) => `ALTER TABLE invites ADD COLUMN ${column} TEXT`),
}
