import { permissions, type PermissionName } from '../../shared/access.ts'
import type { App } from '../call.ts'
import type { Principal } from '../principal.ts'
import { forbidden } from '../errors.ts'
import { evaluator, type Resource } from './evaluate.ts'
import { rightOf, rulesOfUser } from './rights.ts'

/** Whether a permission is administrative: over the server, or over the rights of others. */
export const isRuling = (name: PermissionName) => name.startsWith('server.') || name.startsWith('tenant.permissions.')

const ruling = [...permissions.keys()].filter(isRuling)

const resourceOf = (permission: PermissionName, tenantId: string): Resource =>
  permission.startsWith('server.') ? { kind: 'Server' } : { kind: 'Tenant', tenantId }

/**
 * Throws 403 when `principal` could become a user with more rights than its own: whoever sets the password of a user
 * can do what that user can (T04). A restricted token has fewer rights than its owner.
 */
export function checkMayActAs(app: App, principal: Principal, user: { id: string; tenantId: string }): void {
  const rules = rulesOfUser(app, user.id)
  const beyond = ruling.find((permission) => {
    const resource = resourceOf(permission, user.tenantId)
    return evaluator(rules, permission)(resource) && !rightOf(app, principal, permission)(resource)
  })
  if (beyond !== undefined) {
    throw forbidden(`This user holds ${beyond}, which you do not: ask somebody who does.`)
  }
}
