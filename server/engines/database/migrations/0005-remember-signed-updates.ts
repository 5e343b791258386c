import type { Migration } from '../database.ts'

/** Newest timestamp of an accepted update, so that no update is accepted again after a restart. */
export const rememberSignedUpdates: Migration = {
  name: '0005-remember-signed-updates',
  up: ['ALTER TABLE devices ADD COLUMN newestUpdate INTEGER'],
}
