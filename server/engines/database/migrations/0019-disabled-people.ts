/** Time at which a person was disabled; null for people who may sign in. */
export const disabledPeople = {
  name: '0019-disabled-people',
  up: [`ALTER TABLE users ADD COLUMN disabledAt INTEGER`],
}
