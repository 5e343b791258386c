/** Sign-in in which a user made a change of the own account. Earlier notices have none, so every session shows them. */
export const noticesOfOwnChanges = {
  name: '0018-notices-of-own-changes',
  up: [`ALTER TABLE user_notices ADD COLUMN madeIn TEXT`],
}
