import type { AuthorizationChangeLogResponseDto } from '../../shared/dtos/authorization-change-log.ts'
import type { AuthorizationChangeLogRow } from '../models/authorization-change-log.ts'

export const presentAuthorizationChange = (row: AuthorizationChangeLogRow): AuthorizationChangeLogResponseDto => ({
  id: row.id,
  actionType: row.actionType,
  actorPrincipalType: row.actorPrincipalType,
  actorPrincipalId: row.actorPrincipalId,
  targetType: row.targetType,
  targetId: row.targetId,
  owningTenantId: row.owningTenantId,
  ipAddress: row.ipAddress,
  createdAt: new Date(row.createdAt).toISOString(),
  beforeJson: row.beforeJson,
  afterJson: row.afterJson,
})
