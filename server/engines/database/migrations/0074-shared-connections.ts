/** Connection of each device's agent, kept where several servers share the database. */
export const sharedConnections = {
  name: '0074-shared-connections',
  up: [`ALTER TABLE devices ADD COLUMN connectionId TEXT NOT NULL DEFAULT ''`],
}
