import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const PermissionAssignment = defineTable('permission_assignments', {
  id: t.key(),
  owningTenantId: t.references('tenants', t.textOrNull()),
  principalKind: t.text<PrincipalKind>(),
  principalId: t.text(),
  permissionName: t.text<PermissionName>(),
  effect: t.text<'Allow' | 'Deny'>(),
  scopeKind: t.text<ScopeKind>(),
  scopeId: t.textOrNull(),
  notes: t.textOrNull(),
  isEnabled: t.boolean(true),
  createdAt: t.integer(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: t.references('personal_access_tokens', t.textOrNull()),
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
  assignmentId: t.references('permission_assignments', t.key()),
  /** Principal of the assignment, by which the mirror of rules finds what a commit has touched. */
  principalId: t.text(),
  /** The assignment counts before this instant only. */
  endsAt: t.integer(),
}).with({ mirror: { key: 'principalId' } })

export const AuthorizationChangeLog = defineTable('authorization_change_logs', {
  id: t.key(),
  actionType: t.text(),
  actorPrincipalType: t.text<'user' | 'service-account' | 'system'>(),
  actorPrincipalId: t.textOrNull(),
  targetType: t.text(),
  targetId: t.text(),
  owningTenantId: t.textOrNull(),
  ipAddress: t.textOrNull(),
  createdAt: t.integer(),
  beforeJson: t.textOrNull(),
  afterJson: t.textOrNull(),
}).with({
  mirror: null,
  indexes: {
    authorization_change_logs_by_tenant:
      '(owningTenantId, createdAt, actionType, actorPrincipalType, targetType, actorPrincipalId, targetId, id)',
  },
})
export type AuthorizationChangeLogRow = RowOf<typeof AuthorizationChangeLog>
