import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import {
  boolean,
  defineTable,
  integer,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const PermissionAssignment = defineTable('permission_assignments', {
  id: key(),
  owningTenantId: references('tenants', textOrNull()),
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
  madeWith: references('personal_access_tokens', textOrNull()),
}).with({
  mirror: { key: 'principalId' },
  indexes: {
    permission_assignments_by_scope: '(scopeId, permissionName)',
    permission_assignments_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
  },
  uniqueIndexes: {
    permission_assignments_once: "(principalKind, principalId, permissionName, effect, scopeKind, ifnull(scopeId, ''))",
  },
})
export type PermissionAssignmentRow = RowOf<typeof PermissionAssignment>

export const AssignmentEnd = defineTable('assignment_ends', {
  assignmentId: references('permission_assignments', key()),
  /** Principal of the assignment, by which the mirror of rules finds what a commit has touched. */
  principalId: text(),
  /** The assignment counts before this instant only. */
  endsAt: integer(),
}).with({ mirror: { key: 'principalId' } })

export const AuthorizationChangeLog = defineTable('authorization_change_logs', {
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
}).with({
  mirror: null,
  indexes: {
    authorization_change_logs_by_tenant:
      '(owningTenantId, createdAt, actionType, actorPrincipalType, targetType, actorPrincipalId, targetId, id)',
  },
})
export type AuthorizationChangeLogRow = RowOf<typeof AuthorizationChangeLog>
