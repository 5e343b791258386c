import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import { boolean, defineTable, integer, key, type RowOf, text, textOrNull } from '../database/table.ts'

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

export const defineAssignmentEnd = defineTable('assignment_ends', {
  assignmentId: key(),
  /** Principal of the assignment, by which the mirror of rules finds what a commit has touched. */
  principalId: text(),
  /** The assignment counts before this instant only. */
  endsAt: integer(),
})

export const defineAuthorizationChangeLog = defineTable('authorization_change_logs', {
  id: key(),
  actionType: text(),
  actorPrincipalType: text<'user' | 'service-account' | 'system'>(),
  actorPrincipalId: textOrNull(),
  targetType: text(),
  targetId: text(),
  owningTenantId: textOrNull(),
  ipAddress: textOrNull(),
  createdAt: integer(),
  beforeJson: textOrNull(),
  afterJson: textOrNull(),
})
export type AuthorizationChangeLogRow = RowOf<typeof defineAuthorizationChangeLog>
