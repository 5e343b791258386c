import type { InstallerKeyType } from '../../shared/dtos/installer-key.ts'
import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const defineInstallerKey = defineTable('installer_keys', {
  id: key(),
  tenantId: text(),
  creatorId: text(),
  creatorKind: text<'User' | 'ServiceAccount'>(),
  keyType: text<Exclude<InstallerKeyType, 'Unknown'>>(),
  secretHash: text(),
  friendlyName: textOrNull(),
  allowedUses: integerOrNull(),
  expiration: integerOrNull(),
  createdAt: integer(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type InstallerKeyRow = RowOf<typeof defineInstallerKey>
