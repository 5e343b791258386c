import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import {
  permissions,
  presets,
  type PermissionName,
  type PresetName,
  type PrincipalKind,
  type TenantPermission,
} from '../../shared/access.ts'
import { isOnBoth } from '../../shared/roles.ts'
import type { Call } from '../call/call.ts'
import { forbidden } from '../ground/errors.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { holds } from '../rights/rights.ts'
import { checkTokenHolds } from '../rights/restricting-token.ts'
import { keyOf, makerOfRows } from './assignment-checks.ts'
import { recordChange } from '../rights/authorization-log.ts'

interface Receiver {
  kind: PrincipalKind
  id: string
}

export const permissionsOf = (names: readonly PresetName[]): PermissionName[] => [
  ...new Set(names.flatMap((name): readonly PermissionName[] => presets[name])),
]

const selfService: readonly PermissionName[] = presets['Self Service']

/** Builds an allow row per permission, at the broadest scope that is legal inside a tenant. */
export function presetAssignments(
  names: readonly PresetName[],
  receiver: Receiver,
  tenantId: string,
  now: number,
): PermissionAssignmentRow[] {
  const isOfServer = names.includes('Server Administrator')
  return permissionsOf(names).map((permissionName) => {
    const scopes = permissions.get(permissionName)!
    const isTenantWide = scopes.includes('Tenant') && !(isOfServer && isOnBoth(permissionName))
    return {
      id: randomUUID(),
      owningTenantId: isTenantWide ? tenantId : null,
      principalKind: receiver.kind,
      principalId: receiver.id,
      permissionName,
      effect: 'Allow',
      scopeKind: isTenantWide ? 'Tenant' : 'Server',
      scopeId: isTenantWide ? tenantId : null,
      notes: null,
      isEnabled: true,
      createdAt: now,
      madeWith: null,
    }
  })
}

/**
 * Throws 403 when the principal may not grant these presets in the tenant. Returns the restricted token that limits the
 * grants, or null without such a token.
 */
export function checkPresetAuthority(
  { app, principal }: Call,
  names: readonly PresetName[],
  tenantId: string,
): string | null {
  const mayWriteServerRows = holds(app, principal, 'server.permissions.write')
  const mayInTenant = (permission: TenantPermission) => holds(app, principal, permission, tenantId)
  if (names.includes('Server Administrator') && !mayWriteServerRows) {
    throw forbidden('The preset Server Administrator may only be given with the permission server.permissions.write.')
  }
  // Every preset has rows at the tenant.
  if (names.length > 0 && !mayWriteServerRows && !mayInTenant('tenant.permissions.write')) {
    throw forbidden('Presets may only be given with the permission tenant.permissions.write.')
  }
  if (names.includes('Tenant Administrator') && !mayInTenant('tenant.permissions.deny')) {
    throw forbidden('The preset Tenant Administrator may only be given with the permission tenant.permissions.deny.')
  }
  if (names.length === 0) {
    return null
  }
  const rows = presetAssignments(names, { kind: 'User', id: '' }, tenantId, 0).filter(
    ({ permissionName }) => !selfService.includes(permissionName),
  )
  const permission = mayInTenant('tenant.permissions.write') ? 'tenant.permissions.write' : 'server.permissions.write'
  const maker = makerOfRows({ app, principal, tenantId }, 'User', rows, permission)
  checkTokenHolds(
    app,
    maker,
    rows.map(({ permissionName, scopeKind }) => ({
      permission: permissionName,
      on: scopeKind === 'Server' ? { kind: 'Server' } : { kind: 'Tenant', tenantId },
    })),
  )
  return maker
}

/**
 * Grants presets to a new receiver, but for rows that it has. Presets requested by a principal go through `checkPresetAuthority`
 * first, which returns `madeWith`. Self Service is always granted by the server itself.
 */
export async function seedPresets(
  call: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  receiver: Receiver,
  names: readonly PresetName[],
  tenantId: string,
  madeWith: string | null = null,
): Promise<void> {
  if (names.length === 0) {
    return
  }
  const { clock, models } = call.app
  const where = { principalId: receiver.id, effect: 'Allow' as const }
  const held = new Set((await models.PermissionAssignment.findAll({ where, transaction })).map(keyOf))
  const missing = presetAssignments(names, receiver, tenantId, clock.now()).filter((row) => !held.has(keyOf(row)))
  const rows = missing.map((row) => ({
    ...row,
    madeWith: selfService.includes(row.permissionName) ? null : madeWith,
  }))
  await models.PermissionAssignment.bulkCreate(rows, { transaction })
  await recordChange(call, transaction, {
    actionType: 'permission-assignments-seeded',
    targetType: receiver.kind,
    targetId: receiver.id,
    tenantId,
    after: { presetNames: names, permissions: rows.map(({ permissionName }) => permissionName) },
  })
}
