import type { PermissionAssignmentResponseDto } from '../../shared/dtos/permission-assignment.ts'
import type { PermissionAssignmentRow } from '../models/permission-assignment.ts'

export const presentAssignment = (row: PermissionAssignmentRow): PermissionAssignmentResponseDto => ({
  id: row.id,
  principalKind: row.principalKind,
  principalId: row.principalId,
  permissionName: row.permissionName,
  effect: row.effect,
  scopeKind: row.scopeKind,
  scopeId: row.scopeId,
  notes: row.notes,
  isEnabled: row.isEnabled,
  createdAt: new Date(row.createdAt).toISOString(),
})
