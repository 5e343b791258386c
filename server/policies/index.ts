import type { Access, PermissionName } from '../../shared/access.ts'
import type { App, Principal } from '../context.ts'
import { AppError, forbidden, unauthorized } from '../errors.ts'
import { permitDevice } from './device.ts'
import { permitGroup } from './group.ts'
import { holds } from './rights.ts'

const missing = (permission: PermissionName) => forbidden(`You do not have the permission ${permission}.`)

/** A restricted server service account without a single rule may do nothing at all. */
const isPowerless = (app: App, { tenantId, isUnrestricted, id }: Principal) =>
  tenantId === null && !isUnrestricted && !app.rules.of(id).some((rule) => rule.isEnabled)

/**
 * The part of a declared access that needs nothing of the request but its caller: a credential where one is asked for,
 * and permissions on the server or on the caller's tenant. Throws 401 or 403. A server service account has no tenant of
 * its own: what it may do in the one that the request names is decided by `permitInTenant`.
 */
export function permit(app: App, principal: Principal | undefined, access: Access): void {
  if (access === 'anonymous') {
    return
  }
  if (!principal) {
    throw unauthorized()
  }
  if (isPowerless(app, principal)) {
    throw forbidden('This service account has no permission assignments.')
  }
  if (typeof access === 'string' || !('on' in access)) {
    return
  }
  if (access.on === 'server' && !holds(app, principal, access.permission)) {
    throw missing(access.permission)
  }
  if (access.on === 'tenant' && !mayTryTenant(app, principal, access)) {
    throw missing(access.permission)
  }
}

type TenantAccess = Extract<Access, { on: 'tenant' }>

const isGrantedSomewhere = (app: App, { id }: Principal, permission: PermissionName) =>
  app.rules.of(id).some((rule) => rule.isEnabled && rule.effect === 'Allow' && rule.permissionName === permission)

const mayTryTenant = (app: App, principal: Principal, { permission, orOnServer }: TenantAccess) =>
  (orOnServer !== undefined && holds(app, principal, orOnServer)) ||
  (principal.tenantId === null
    ? principal.isUnrestricted || isGrantedSomewhere(app, principal, permission)
    : holds(app, principal, permission, principal.tenantId))

/** The part that needs the tenant which the request names. Throws 403 for a foreign one and for a missing permission. */
export function permitInTenant(app: App, principal: Principal | undefined, access: Access, tenantId: string): void {
  const isOnServer = typeof access === 'object' && 'on' in access && access.on === 'server'
  // There the tenant is the thing that is asked for, and the permission reaches every one.
  if (!principal || isOnServer) {
    return
  }
  const isTenantAccess = typeof access === 'object' && 'on' in access && access.on === 'tenant'
  if (isTenantAccess && access.orOnServer !== undefined && holds(app, principal, access.orOnServer)) {
    return
  }
  if (principal.tenantId !== null && principal.tenantId !== tenantId) {
    throw forbidden('This tenant is not yours.')
  }
  if (isTenantAccess && !holds(app, principal, access.permission, tenantId)) {
    throw missing(access.permission)
  }
}

/** The part that needs the thing which the request names; `named` reads its id. Throws 404 or 403. */
export function permitOn(
  app: App,
  principal: Principal | undefined,
  access: Access,
  named: (at: string | number) => unknown,
  tenantId?: string,
): void | Promise<void> {
  if (typeof access === 'string' || !('on' in access) || access.on === 'server' || access.on === 'tenant') {
    return
  }
  if (!principal) {
    throw unauthorized()
  }
  const id = String(named(access.at)).toLowerCase()
  if (access.on === 'device') {
    permitDevice(app, principal, access.permission, id, { tenantId, outOfReach: access.outOfReach })
    return
  }
  if (tenantId === undefined) {
    throw new AppError(500, 'A group is looked up within a tenant.')
  }
  return permitGroup(app, principal, access.permission, id, tenantId)
}
