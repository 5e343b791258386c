import { permissions, presets, type PermissionName } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import type { Rule } from '../rights/rule-mirror.ts'
import type { Principal } from '../ground/principal.ts'
import { deviceResource } from '../fleet/rights.ts'
import { evaluator, type Holder, type Resource } from '../rights/evaluate.ts'
import { firstHandRight, holds, rightOf, ruleSetsOf, tokensAllow, type Right } from '../rights/rights.ts'

/** A holder whose rights another principal could acquire: a user, a service account, a user group. */
export interface Target {
  tenantId: string | null
  holder: Holder
  rules: readonly Rule[]
}

const ofServer = (name: PermissionName) => name.startsWith('server.')

/** Permissions that everyone has over themselves manage nobody else, and are no reason to reject. */
const selfService: readonly PermissionName[] = presets['Self Service']
const comparable = [...permissions.keys()].filter((name) => !selfService.includes(name))
const management = comparable.filter((name) => !name.startsWith('device.'))
/** A management permission yields more rights than it names; a device permission affects only devices. */
export const isManagement = (name: string): boolean => management.some((one) => one === name)
const serverWide = comparable.filter(ofServer)

/** The thing where a rule applies; undefined for a deleted device. A rule of the server may apply in any tenant. */
function placeOf({ fleet }: App, { scopeKind, scopeId }: Rule, tenantId: string | null): Resource | undefined {
  switch (scopeKind) {
    case 'Server':
      return { kind: 'Server' }
    case 'Tenant':
      return { kind: 'Tenant', tenantId: scopeId! }
    case 'Device': {
      const device = fleet.get(scopeId!)
      return device && deviceResource(device)
    }
    default:
      return { kind: scopeKind, id: scopeId!, tenantId: tenantId ?? '' }
  }
}

interface Side {
  rules: readonly Rule[]
  right(permission: PermissionName): Right
}

/** Enabled rules by permission: a holder may have thousands, of many permissions (T26). */
const byPermission = (rules: readonly Rule[]) =>
  Map.groupBy(
    rules.filter(({ isEnabled }) => isEnabled),
    ({ permissionName }) => permissionName,
  )

/**
 * The first permission that the target holds where the actor does not. They can differ only where the target has an
 * allow or the actor a deny.
 */
function findBeyond(app: App, names: readonly PermissionName[], target: Target, actor: Side) {
  const ofTarget = byPermission(target.rules)
  const ofActor = byPermission(actor.rules)
  return names.find((permission) => {
    const own = ofTarget.get(permission) ?? []
    const allows = own.filter(({ effect }) => effect === 'Allow')
    const denies = (ofActor.get(permission) ?? []).filter(({ effect }) => effect === 'Deny')
    const places = allows.length === 0 ? [] : [...allows, ...denies]
    const isHeld = evaluator(own, permission, target.holder, tokensAllow(app, permission))
    const isAllowed = actor.right(permission)
    return places.some((rule) => {
      const place = placeOf(app, rule, target.tenantId)
      return place !== undefined && isHeld(place) && !isAllowed(place)
    })
  })
}

const sideOf = (app: App, principal: Principal, rightOfPrincipal: typeof rightOf): Side => ({
  rules: principal.isUnrestricted ? [] : ruleSetsOf(app, principal).flatMap(({ rules }) => rules()),
  right: (permission) => rightOfPrincipal(app, principal, permission),
})

/**
 * The management permission of a target that `principal` lacks: becoming the target would escalate rights (T27). A
 * principal who may grant rights in the tenant could grant itself all rights there, except those on the server.
 */
export function managementBeyond(app: App, principal: Principal, target: Target): PermissionName | undefined {
  const mayGive = target.tenantId !== null && holds(app, principal, 'tenant.permissions.write', target.tenantId)
  return findBeyond(app, mayGive ? serverWide : management, target, sideOf(app, principal, rightOf))
}

/** The permission of a target, including device permissions, that a restricted token lacks and so cannot pass on. */
export function anyBeyondToken(app: App, tokenId: string, target: Target): PermissionName | undefined {
  const token = app.personalAccessTokens.principalOf(tokenId)
  return token
    ? findBeyond(app, comparable, target, sideOf(app, token, firstHandRight))
    : (target.rules.find(({ effect }) => effect === 'Allow')?.permissionName as PermissionName | undefined)
}
