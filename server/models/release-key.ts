import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineReleaseKey = defineTable('release_key', {
  id: key<'server'>(),
  /** Sealed. */
  key: text(),
  /** JSON: public keys up to this key, each signed by its predecessor. */
  named: text(),
})
/** The key that signs the agents of this server, in one row. */
export type ReleaseKeyRow = RowOf<typeof defineReleaseKey>
