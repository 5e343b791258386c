import { permissions, presets, type PermissionName } from '../../shared/access.ts'
import type { App } from '../call.ts'
import type { Rule } from '../mirrors/rules.ts'
import type { Principal } from '../principal.ts'
import { deviceResource } from './device.ts'
import { evaluator, type Holder, type Resource } from './evaluate.ts'
import { firstHandRight, holds, rightOf, ruleSetsOf, tokensAllow, type Right } from './rights.ts'

/** Somebody or something whose rights another principal could come by: a user, a service account, a user group. */
export interface Target {
  tenantId: string | null
  holder: Holder
  rules: readonly Rule[]
}

/** Whoever comes by a management permission can take more than it says; one on devices reaches devices alone. */
const isManagement = (name: PermissionName) => !name.startsWith('device.')
const ofServer = (name: PermissionName) => name.startsWith('server.')

/** What the server gives everybody over themselves manages nobody, and is no reason to refuse. */
const selfService: readonly PermissionName[] = presets['Self Service']
const every = [...permissions.keys()].filter((name) => !selfService.includes(name))
const management = every.filter(isManagement)
const serverWide = every.filter(ofServer)

/** The thing at which a rule holds; undefined for a device that is gone. A rule of the server may stand in any tenant. */
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

/** One side of a comparison. */
interface Side {
  rules: readonly Rule[]
  right(permission: PermissionName): Right
}

/**
 * The first of some permissions that the target holds where the actor does not. The two can differ only at what the one
 * is allowed and what the other is denied.
 */
function findBeyond(app: App, names: readonly PermissionName[], target: Target, actor: Side) {
  return names.find((permission) => {
    const about = (rules: readonly Rule[], effect: Rule['effect']) =>
      rules.filter((rule) => rule.isEnabled && rule.permissionName === permission && rule.effect === effect)
    const allows = about(target.rules, 'Allow')
    const places = allows.length === 0 ? [] : [...allows, ...about(actor.rules, 'Deny')]
    const isHeld = evaluator(target.rules, permission, target.holder, tokensAllow(app, permission))
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
 * The management permission of a target that `principal` lacks: with it, becoming the target would be climbing (T27).
 * Who may give rights in the tenant could take those of everybody there, but for those on the server.
 */
export function managementBeyond(app: App, principal: Principal, target: Target): PermissionName | undefined {
  const mayGive = target.tenantId !== null && holds(app, principal, 'tenant.permissions.write', target.tenantId)
  return findBeyond(app, mayGive ? serverWide : management, target, sideOf(app, principal, rightOf))
}

/** The permission of a target, be it on devices, that a restricted token lacks: nothing of it can be handed on. */
export function anyBeyondToken(app: App, tokenId: string, target: Target): PermissionName | undefined {
  const token = app.personalAccessTokens.principalOf(tokenId)
  return token
    ? findBeyond(app, every, target, sideOf(app, token, firstHandRight))
    : (target.rules.find(({ effect }) => effect === 'Allow')?.permissionName as PermissionName | undefined)
}
