/** Events of what changed, by their time, for the start page. */
export const changesByTime = {
  name: '0055-changes-by-time',
  up: [
    `CREATE INDEX program_events_of_changes ON program_events (at)
      WHERE kind IN ('device.registered', 'device.deleted', 'person.added', 'person.removed', 'rights.changed', 'update.installed', 'update.failed', 'alert.opened')`,
  ],
}
