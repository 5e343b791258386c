import type { Transaction } from 'sequelize'
import type { App, Call } from '../call/call.ts'
import { forbidden } from '../ground/errors.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { anyBeyondToken, managementBeyond, type Target } from '../assignments/rights-comparison.ts'
import { restrictingTokenOf } from '../rights/restricting-token.ts'
import { keepingAdministrators } from '../assignments/last-administrator.ts'
import { checkTokenMayLift, lackingFor } from '../assignments/assignment-checks.ts'
import { keepingOwnAuthority } from '../assignments/own-authority.ts'

/** User group whose rights apply to each member. */
export interface HoldingGroup {
  id: string
  tenantId: string
}

async function rowsOf({ models }: App, { id }: HoldingGroup, transaction: Transaction) {
  const where = { principalKind: 'UserGroup', principalId: id } as const
  return models.PermissionAssignment.findAll({ where, transaction })
}

const makerFor = (
  { app, principal }: Call,
  permission: 'user-group.assign-users' | 'tenant.user-groups.write',
  { id, tenantId }: HoldingGroup,
) => restrictingTokenOf(app, principal, [{ permission, on: { kind: 'UserGroup', id, tenantId } }])

/**
 * Throws 403 when adding users would grant them, or the principal, management permissions that the principal lacks
 * (T27). Returns the restricted token that limits the memberships, or null without such a token.
 */
export function checkJoining(call: Call, group: HoldingGroup): string | null {
  const { app, principal } = call
  const target: Target = { tenantId: group.tenantId, holder: 'User', rules: app.rules.of(group.id) }
  const beyond = managementBeyond(app, principal, target)
  if (beyond !== undefined) {
    const giver = beyond.startsWith('server.') ? 'server.permissions.write' : 'tenant.permissions.write'
    throw forbidden(`This group holds ${beyond}. To add users, you need it too: ask someone who holds ${giver}.`)
  }
  const maker = makerFor(call, 'user-group.assign-users', group)
  const beyondToken = maker === null ? undefined : anyBeyondToken(app, maker, target)
  if (beyondToken !== undefined) {
    throw forbidden(`This group holds ${beyondToken}, which your token does not hold. Sign in to add users to it.`)
  }
  return maker
}

async function checkMayRemove(
  call: Call,
  permission: 'user-group.assign-users' | 'tenant.user-groups.write',
  group: HoldingGroup,
  rows: readonly PermissionAssignmentRow[],
  transaction: Transaction,
) {
  const { app, principal } = call
  const { tenantId } = group
  for (const row of rows) {
    const lacking = lackingFor(app, principal, tenantId, 'User', row)
    if (lacking) {
      const about = `${row.effect === 'Deny' ? 'is denied' : 'holds'} ${row.permissionName}`
      throw forbidden(`This group ${about}. To change that for its users, you need ${lacking}.`)
    }
  }
  await checkTokenMayLift({ app, tenantId, transaction, maker: makerFor(call, permission, group) }, rows)
}

/** Throws 403 when removed users would lose a rule that the principal could not remove. */
export async function checkLeaving(call: Call, group: HoldingGroup, transaction: Transaction) {
  const rows = await rowsOf(call.app, group, transaction)
  const enabled = rows.filter(({ isEnabled }) => isEnabled)
  await checkMayRemove(call, 'user-group.assign-users', group, enabled, transaction)
}

/** Throws 403 when the principal could not remove the rows that are deleted with the group. */
export async function checkDeleting(call: Call, group: HoldingGroup, transaction: Transaction) {
  await checkMayRemove(call, 'tenant.user-groups.write', group, await rowsOf(call.app, group, transaction), transaction)
}

/**
 * Rolls back a change of a group or its members that removes authority from the principal, or the last administrator
 * from the server or the tenant.
 */
export const keepingAuthority = <T>(
  { app, principal }: Call,
  transaction: Transaction,
  tenantId: string,
  work: () => Promise<T>,
): Promise<T> =>
  keepingOwnAuthority(app, transaction, principal, () => keepingAdministrators(app, transaction, tenantId, work))
