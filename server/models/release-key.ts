import { defineTable, key, text } from './table.ts'

/** The key that signs the agents of this server, in one row. */
export const defineReleaseKey = defineTable('release_key', {
  id: key<'server'>(),
  /** Sealed. */
  key: text(),
  /** JSON: public keys up to this key, each signed by its predecessor. */
  named: text(),
})
