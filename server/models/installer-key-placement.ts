import { key, text, textOrNull } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineInstallerKeyPlacement = defineTable('installer_key_placements', {
  keyId: key(),
  customerId: textOrNull(),
  /** JSON list of ids. */
  deviceGroupIds: text(),
  /** JSON list of ids. */
  tagIds: text(),
})
export type InstallerKeyPlacementRow = RowOf<typeof defineInstallerKeyPlacement>
