import { instant } from '../ground/instant.ts'
import type { AuthorizationChangeLogResponseDto } from '../../shared/dtos/authorization-change-log.ts'
import type { PermissionAssignmentResponseDto } from '../../shared/dtos/permission-assignment.ts'
import { csvFile, line } from '../ground/csv.ts'
import type { AuthorizationChangeLogRow, PermissionAssignmentRow } from '../rights/tables.ts'

export const presentAuthorizationChange = (row: AuthorizationChangeLogRow): AuthorizationChangeLogResponseDto => ({
  id: row.id,
  actionType: row.actionType,
  actorPrincipalType: row.actorPrincipalType,
  actorPrincipalId: row.actorPrincipalId,
  targetType: row.targetType,
  targetId: row.targetId,
  owningTenantId: row.owningTenantId,
  ipAddress: row.ipAddress,
  createdAt: instant(row.createdAt),
  beforeJson: row.beforeJson,
  afterJson: row.afterJson,
})

/** A page of an export, with the names of actors and targets that the caller may read. */
export interface ChangePage {
  rows: readonly AuthorizationChangeLogRow[]
  names: ReadonlyMap<string, string>
  /** Reason why the export ends before its end. */
  problem?: string
}

const columns = [
  'at',
  'action',
  'actorKind',
  'actorName',
  'actorId',
  'targetKind',
  'targetName',
  'targetId',
  'address',
  'before',
  'after',
  'tenantId',
  'id',
]

export const changeFile = (pages: AsyncIterable<ChangePage>): AsyncIterable<string> => csvFile(columns, linesOf(pages))

/** A truncated export ends with the reason. */
async function* linesOf(pages: AsyncIterable<ChangePage>): AsyncIterable<string> {
  for await (const { rows, names, problem } of pages) {
    yield rows
      .map((row) =>
        line([
          instant(row.createdAt),
          row.actionType,
          row.actorPrincipalType,
          names.get(row.actorPrincipalId ?? '') ?? null,
          row.actorPrincipalId,
          row.targetType,
          names.get(row.targetId) ?? null,
          row.targetId,
          row.ipAddress,
          row.beforeJson,
          row.afterJson,
          row.owningTenantId,
          row.id,
        ]),
      )
      .join('')
    if (problem !== undefined) {
      yield line([`This export is not complete: ${problem}`])
    }
  }
}

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
  createdAt: instant(row.createdAt),
})
