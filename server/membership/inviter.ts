import type { Transaction } from 'sequelize'
import type { App } from '../call/call.ts'
import type { InviteRow } from '../people/tables.ts'
import { makerNow } from '../rights/maker.ts'
import { holds, rightOf } from '../rights/rights.ts'
import { managementBeyond } from '../assignments/rights-comparison.ts'
import type { Principal } from '../ground/principal.ts'
import { lackingFor } from '../assignments/assignment-checks.ts'
import type { Started } from './start.ts'

interface Carried {
  app: App
  principal: Principal
  tenantId: string
  transaction: Transaction | undefined
}

async function mayGive({ app, principal, tenantId, transaction }: Carried, { assignmentIds, groupIds }: Started) {
  const within = transaction && { transaction }
  const rows = await app.models.PermissionAssignment.findAll({ where: { id: assignmentIds }, ...within })
  const groups = await app.models.UserGroup.findAll({ where: { id: groupIds, tenantId }, ...within })
  const mayFill = rightOf(app, principal, 'user-group.assign-users')
  return (
    (rows.length === 0 || holds(app, principal, 'tenant.permissions.write', tenantId)) &&
    rows.every((row) => lackingFor(app, principal, tenantId, 'User', row) === undefined) &&
    groups.every(({ id }) => {
      const target = { tenantId, holder: 'User', rules: app.rules.of(id) } as const
      return mayFill({ kind: 'UserGroup', id, tenantId }) && managementBeyond(app, principal, target) === undefined
    })
  )
}

/** True while the inviter is enabled, and may invite people and give what the invite carries (T43). */
export async function standsInvite(app: App, invite: InviteRow, transaction?: Transaction): Promise<boolean> {
  const { makerKind, makerId, madeWith, tenantId, startJson } = invite
  if (makerKind === null || makerId === null) {
    return true
  }
  const inviter = makerNow(app, { makerKind, makerId }, madeWith)
  if (!inviter?.isEnabled || !holds(app, inviter.principal, 'tenant.users.write', tenantId)) {
    return false
  }
  const { principal } = inviter
  return startJson === null || mayGive({ app, principal, tenantId, transaction }, JSON.parse(startJson) as Started)
}
