import { permissions, type Access, type PermissionName } from '../../shared/access.ts'
import type { App, Principal } from '../context.ts'
import { forbidden, unauthorized } from '../errors.ts'
import { permitDevice } from './device.ts'
import { evaluator, type Resource, type Rule } from './evaluate.ts'

const missing = (permission: PermissionName) => forbidden(`You do not have the permission ${permission}.`)

/**
 * The part of a declared access that needs nothing of the request but its caller: a credential where one is asked for,
 * and permissions on the server or on the caller's tenant. Throws 401 or 403.
 */
export function permit(app: App, principal: Principal | undefined, access: Access): void {
  if (access === 'anonymous') {
    return
  }
  if (!principal) {
    throw unauthorized()
  }
  if (typeof access === 'object' && 'on' in access && access.on !== 'device') {
    const resource: Resource =
      access.on === 'server' ? { kind: 'Server' } : { kind: 'Tenant', tenantId: principal.tenantId }
    if (!evaluator(app.rules.of(principal.id), access.permission)(resource)) {
      throw missing(access.permission)
    }
  }
}

/** The part that needs the thing which the request names; `named` reads it. Throws 404 or 403. */
export function permitOn(
  app: App,
  principal: Principal | undefined,
  access: Access,
  named: (at: string | number) => unknown,
): void {
  if (typeof access === 'object' && 'on' in access && access.on === 'device') {
    if (!principal) {
      throw unauthorized()
    }
    permitDevice(app, principal, access.permission, String(named(access.at)))
  }
}

/** Names of the permissions that a principal holds somewhere. */
export function heldPermissions(app: App, principal: Principal): PermissionName[] {
  const rules = app.rules.of(principal.id).filter((rule) => rule.isEnabled)
  const isWide = (rule: Rule) =>
    rule.scopeKind === 'Server' || (rule.scopeKind === 'Tenant' && rule.scopeId === principal.tenantId)
  const holds = (name: PermissionName) => {
    const about = rules.filter((rule) => rule.permissionName === name)
    return (
      about.some((rule) => rule.effect === 'Allow' && permissions.get(name)!.includes(rule.scopeKind)) &&
      !about.some((rule) => rule.effect === 'Deny' && isWide(rule))
    )
  }
  return [...permissions.keys()].filter(holds)
}
