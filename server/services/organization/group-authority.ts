import type { Transaction } from 'sequelize'
import type { App, Call } from '../../call.ts'
import type { Principal } from '../../principal.ts'
import { forbidden } from '../../errors.ts'
import type { PermissionAssignmentRow } from '../../models/permission-assignment.ts'
import { holds } from '../../policies/rights.ts'
import { isRuling } from '../../policies/user.ts'
import { keepingAnAdministrator } from '../rights/last-administrator.ts'
import { lackingFor } from '../rights/assignment-checks.ts'
import { keepingOwnAuthority } from '../rights/own-authority.ts'

/** A user group and its rights: each member has its rows. */
export interface HoldingGroup {
  id: string
  tenantId: string
}

async function rowsOf({ models }: App, { id }: HoldingGroup, transaction: Transaction) {
  const where = { principalKind: 'UserGroup', principalId: id } as const
  return models.PermissionAssignment.findAll({ where, transaction })
}

function mayHandOn(app: App, principal: Principal, { permissionName, scopeKind, scopeId }: PermissionAssignmentRow) {
  return (
    holds(app, principal, 'server.permissions.write') ||
    (scopeKind !== 'Server' &&
      (!isRuling(permissionName) || holds(app, principal, permissionName, scopeId ?? undefined)))
  )
}

/** Throws 403 when letting users in would give them, or the principal, what the principal could not give (T04). */
export async function checkJoining({ app, principal }: Call, group: HoldingGroup, transaction: Transaction) {
  const given = (await rowsOf(app, group, transaction)).filter(
    ({ isEnabled, effect }) => isEnabled && effect === 'Allow',
  )
  const beyond = given.find((row) => !mayHandOn(app, principal, row))
  if (beyond) {
    const needed = beyond.scopeKind === 'Server' ? 'server.permissions.write' : beyond.permissionName
    throw forbidden(`This group holds ${beyond.permissionName}: adding users to it needs ${needed}.`)
  }
}

function checkMayRemove(
  { app, principal }: Call,
  { tenantId }: HoldingGroup,
  rows: readonly PermissionAssignmentRow[],
) {
  for (const row of rows) {
    const lacking = lackingFor(app, principal, tenantId, 'User', row)
    if (lacking) {
      const about = `${row.effect === 'Deny' ? 'is denied' : 'holds'} ${row.permissionName}`
      throw forbidden(`This group ${about}: taking that from its users needs ${lacking}.`)
    }
  }
}

/** Throws 403 when users who leave would lose a rule that the principal could not remove. */
export async function checkLeaving(call: Call, group: HoldingGroup, transaction: Transaction) {
  const rows = await rowsOf(call.app, group, transaction)
  checkMayRemove(
    call,
    group,
    rows.filter(({ isEnabled }) => isEnabled),
  )
}

/** Throws 403 when the principal could not remove the rows that go with the group. */
export async function checkDeleting(call: Call, group: HoldingGroup, transaction: Transaction) {
  checkMayRemove(call, group, await rowsOf(call.app, group, transaction))
}

/**
 * Rolls back a change of a group or its members that takes authority from the principal, or the server from everybody.
 */
export const keepingAuthority = <T>(
  { app, principal }: Call,
  transaction: Transaction,
  work: () => Promise<T>,
): Promise<T> => keepingOwnAuthority(app, transaction, principal, () => keepingAnAdministrator(app, transaction, work))
