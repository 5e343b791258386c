import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import { boolean, defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const definePermissionAssignment = defineTable('permission_assignments', {
  id: key(),
  owningTenantId: textOrNull(),
  principalKind: text<PrincipalKind>(),
  principalId: text(),
  permissionName: text<PermissionName>(),
  effect: text<'Allow' | 'Deny'>(),
  scopeKind: text<ScopeKind>(),
  scopeId: textOrNull(),
  notes: textOrNull(),
  isEnabled: boolean(true),
  createdAt: integer(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type PermissionAssignmentRow = RowOf<typeof definePermissionAssignment>
