import type { Access, PermissionName, RouteAccess, Resources } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { AppError, databaseAway, forbidden, notFound, unauthorized } from '../ground/errors.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { Principal } from '../ground/principal.ts'
import { deviceRight, permittedDevice, permittedDevices, type Sight } from '../fleet/rights.ts'
import { permittedGroup, requireGroupRight, type GroupRow } from '../organization/rights.ts'
import { holds } from '../rights/rights.ts'

/** Types of the things that handlers get because their access names them. */
export interface ServerResources extends Resources {
  device: DeviceState
  group: GroupRow
  devices: DeviceList
}

/** Time limit of a request to wait for the database; shorter than the timeouts of balancers, whose health checks wait too. */
const timeoutMs = 2_000

/** Waits while commits of other servers may be unknown here: a credential or a right may have ended. Throws 503 after 2 s. */
export async function untilCurrent({ database }: App): Promise<void> {
  if (!database.isCurrent()) {
    await database.whenCurrent(timeoutMs).catch(() => {
      throw databaseAway
    })
  }
}

const missing = (permission: PermissionName) => forbidden(`You do not have the permission ${permission}.`)

/** A restricted server service account without a rule has no rights. */
const isPowerless = (app: App, { tenantId, isUnrestricted, id }: Principal) =>
  tenantId === null && !isUnrestricted && !app.rules.of(id).some((rule) => rule.isEnabled)

/**
 * Checks the part of a declared access that depends on the principal alone: a credential if required, and permissions
 * on the server or on the principal's tenant. Throws 401 or 403. A server service account has no tenant: `authorize`
 * checks its rights in the tenant of the request.
 */
export function admit(app: App, principal: Principal | undefined, access: Access): void {
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

type TenantAccess = Extract<RouteAccess, { on: 'tenant' }>

const isGrantedSomewhere = (app: App, { id }: Principal, permission: PermissionName) =>
  app.rules.of(id).some((rule) => rule.isEnabled && rule.effect === 'Allow' && rule.permissionName === permission)

const mayTryTenant = (app: App, principal: Principal, { permission, orOnServer }: TenantAccess) =>
  (orOnServer !== undefined && holds(app, principal, orOnServer)) ||
  (principal.tenantId === null
    ? principal.isUnrestricted || isGrantedSomewhere(app, principal, permission)
    : holds(app, principal, permission, principal.tenantId))

/**
 * Throws 403 for a foreign tenant, 404 for an unknown one that somebody of the server names, and 403 without the
 * permission in this tenant.
 */
function checkTenant(app: App, principal: Principal, access: Access, tenantId: string): void {
  const placed = typeof access === 'object' && 'on' in access ? access : undefined
  const tenantAccess = placed?.on === 'tenant' ? placed : undefined
  // The tenant is the target of the request, and a server permission covers all tenants.
  const isCovered =
    placed?.on === 'server' ||
    (tenantAccess?.orOnServer !== undefined && holds(app, principal, tenantAccess.orOnServer))
  if (!isCovered && principal.tenantId !== null && principal.tenantId !== tenantId) {
    throw forbidden('This tenant is not yours.')
  }
  if (!app.tenants.has(tenantId)) {
    throw notFound('tenant')
  }
  if (isCovered) {
    return
  }
  if (tenantAccess && !holds(app, principal, tenantAccess.permission, tenantId)) {
    throw missing(tenantAccess.permission)
  }
}

/** Target of a request or a call. */
export interface Subject {
  /** The parameter, body member or argument of this name or position. */
  named(at: string | number): unknown
  tenantId?: string | undefined
  sight: Sight
  /** The device for which the agent's connection is verified. */
  agentDevice?: DeviceState | undefined
}

/** Checks what a declared access demands of the principal and the tenant. Returns what it demands beyond. */
function checkPrincipal(app: App, principal: Principal | undefined, access: Access, { named, tenantId }: Subject) {
  admit(app, principal, access)
  if (!principal) {
    return undefined
  }
  if (tenantId !== undefined) {
    checkTenant(app, principal, access, tenantId)
  }
  if (typeof access === 'string') {
    return undefined
  }
  if ('scope' in access) {
    return { ...access, principal }
  }
  if (access.on === 'server' || access.on === 'tenant') {
    return undefined
  }
  const id = String(named(access.at)).toLowerCase()
  if (access.on === 'device') {
    return { ...access, principal, id }
  }
  if (tenantId === undefined) {
    throw new AppError(500, 'A group is looked up within a tenant.')
  }
  return { ...access, principal, id, tenantId }
}

/**
 * Checks a declared access, for both engines, and returns the things that it names for the handler. Throws 401 and 403,
 * and 404 (or the status of the access) for a thing out of the principal's reach.
 */
export async function authorize(
  app: App,
  principal: Principal | undefined,
  access: Access,
  subject: Subject,
): Promise<Partial<ServerResources>> {
  const { sight, tenantId, agentDevice } = subject
  if (access === 'agent') {
    if (!agentDevice) {
      throw forbidden()
    }
    return { device: agentDevice }
  }
  const named = checkPrincipal(app, principal, access, subject)
  if (!named) {
    return {}
  }
  if ('scope' in named) {
    return { devices: permittedDevices(app, named.principal, named.scope, sight) }
  }
  if (named.on === 'device') {
    const { permission, ofNoTenant } = named
    return { device: permittedDevice(app, named.principal, permission, named.id, { sight, tenantId, ofNoTenant }) }
  }
  return { group: await permittedGroup(app, named.principal, named.permission, named.id, named.tenantId) }
}

/** Checks the access of an authorized caller again, by the mirrors alone: a write must not wait for a query. Throws 401 and 403. */
export function authorizeWrite(app: App, principal: Principal, access: Access, subject: Subject): void {
  if (!principal.isLive()) {
    throw unauthorized()
  }
  const named = checkPrincipal(app, principal, access, subject)
  if (!named || 'scope' in named) {
    return
  }
  if (named.on !== 'device') {
    requireGroupRight(app, principal, named.permission, named)
    return
  }
  const device = app.fleet.get(named.id)
  // The handler finds out by itself that the device was deleted, perhaps by its own write.
  if (device && !deviceRight(app, principal, named.permission)(device)) {
    throw missing(named.permission)
  }
}
