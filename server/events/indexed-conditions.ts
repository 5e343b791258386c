/** SQL condition on `program_events` that an index has, too: what changed, without the coming and going of devices. */
export const isChangeEvent =
  "kind IN ('device.registered', 'device.deleted', 'person.added', 'person.removed', 'rights.changed', 'update.installed', 'update.failed', 'alert.opened')"
