import { defineTable, key, type RowOf, text, textOrNull } from './table.ts'

export const defineInstallerKeyPlacement = defineTable('installer_key_placements', {
  keyId: key(),
  customerId: textOrNull(),
  /** JSON list of ids. */
  deviceGroupIds: text(),
  /** JSON list of ids. */
  tagIds: text(),
})
export type InstallerKeyPlacementRow = RowOf<typeof defineInstallerKeyPlacement>
