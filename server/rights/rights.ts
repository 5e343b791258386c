import { isPermissionName, permissions, type PermissionName, type ScopeKind } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import type { Rule } from './rule-mirror.ts'
import { mapInSlices } from '../ground/clock.ts'
import type { Maker, Principal } from '../ground/principal.ts'
import { allowedAt, evaluator, type Holder, type Resource, type StillAllows } from './evaluate.ts'
import { makerNow } from './maker.ts'

/** Rules by permission, of lists that the mirror keeps until they change: a list may have 20,000 rules (T26). */
const known = new WeakMap<readonly Rule[], ReadonlyMap<string, readonly Rule[]>>()

function rulesOfPermission(rules: readonly Rule[], permission: string): readonly Rule[] {
  const byPermission = known.get(rules) ?? Map.groupBy(rules, ({ permissionName }) => permissionName)
  known.set(rules, byPermission)
  return byPermission.get(permission) ?? []
}

export type Right = (resource: Resource) => boolean

const never: Right = () => false
const always: Right = () => true

/** Rows of one principal; the rights of a bound membership also depend on its token. */
export interface RuleSource {
  rules: readonly Rule[]
  boundTo?: readonly string[]
}

/** Rows of the user and of each of its groups. */
const sourcesOfUser = ({ rules }: App, userId: string): readonly RuleSource[] => [
  { rules: rules.of(userId) },
  ...rules.membershipsOf(userId).map(({ groupId, ...bound }) => ({ rules: rules.of(groupId), ...bound })),
]

const rulesIn = (sources: readonly RuleSource[], permission?: PermissionName): readonly Rule[] =>
  sources.flatMap(({ rules, boundTo }) => {
    const own = permission === undefined ? rules : rulesOfPermission(rules, permission)
    return boundTo === undefined
      ? own
      : own.map((rule) => ({ ...rule, boundTo: [...(rule.boundTo ?? []), ...boundTo] }))
  })

/** Rows of the user, then of each of its groups: lists of the mirror. */
export const ruleListsOfUser = (app: App, userId: string) => sourcesOfUser(app, userId).map(({ rules }) => rules)

/** Rows of the user and of all its groups, of all permissions or of one. */
export const rulesOfUser = (app: App, userId: string, permission?: PermissionName): readonly Rule[] =>
  rulesIn(sourcesOfUser(app, userId), permission)

/** Rows that are evaluated together. */
export interface RuleSet {
  holder: Holder
  sources(): readonly RuleSource[]
  /** Rows of all permissions, or of one. */
  rules(permission?: PermissionName): readonly Rule[]
}

const ruleSet = (holder: Holder, sources: () => readonly RuleSource[]): RuleSet => ({
  holder,
  sources,
  rules: (permission) => rulesIn(sources(), permission),
})

/** The rule sets of a principal: it may do what all of them allow. */
export function ruleSetsOf(app: App, { kind, id, tenantId, credential }: Principal): RuleSet[] {
  const own = (holder: Holder, principalId: string) => ruleSet(holder, () => [{ rules: app.rules.of(principalId) }])
  if (kind === 'ServiceAccount') {
    return [own(tenantId === null ? 'ServerServiceAccount' : 'TenantServiceAccount', id)]
  }
  const owner = ruleSet('User', () => sourcesOfUser(app, id))
  switch (credential.kind) {
    case 'LogonToken':
      return [own('LogonToken', credential.id)]
    case 'PersonalAccessToken':
      return credential.mode === 'Restricted' ? [owner, own('User', credential.id)] : [owner]
    default:
      return [owner]
  }
}

/** Cache key of a principal's rights. */
function nameOf({ id, tenantId, credential, madeWith = null }: Principal): string {
  switch (credential.kind) {
    case 'LogonToken':
      return `${id} ${tenantId} ${madeWith} ${credential.id}`
    case 'PersonalAccessToken':
      return `${id} ${tenantId} ${madeWith} ${credential.id} ${credential.mode}`
    default:
      return `${id} ${tenantId} ${madeWith}`
  }
}

/** A person with the rights of now; undefined for one who is gone or disabled (T43). */
export function personNow(app: App, userId: string): Principal | undefined {
  const person = makerNow(app, { makerKind: 'User', makerId: userId })
  return person?.isEnabled ? person.principal : undefined
}

/**
 * Account for which a setting of a tenant acts, with its rights of now; undefined if it is gone, disabled, or may no longer
 * change settings (T43).
 */
export function settingMakerNow(
  app: App,
  { madeWith, tenantId, ...made }: Maker & { madeWith: string | null; tenantId: string },
): Principal | undefined {
  const maker = makerNow(app, made, madeWith)
  return maker?.isEnabled && holds(app, maker.principal, 'tenant.settings.write', tenantId)
    ? maker.principal
    : undefined
}

/** Limit of a principal, regardless of its rows: only a server service account may act outside its tenant. */
const isWithinReach = ({ tenantId, credential }: Principal, resource: Resource) =>
  (tenantId === null || resource.kind === 'Server' || resource.tenantId === tenantId) &&
  (credential.kind !== 'LogonToken' || (resource.kind === 'Device' && resource.id === credential.deviceId))

/** Number of principals with cached compiled rights; above it the cache is cleared. */
const maxCompiled = 10_000

type Compiled = Map<string, Map<PermissionName, Right>>

/** Compiled rights, by generation of the rules. */
const compiledFor = new WeakMap<object, Compiled>()

/** The compiled right of this name, cached until the rules change. */
function compiledRight(
  { rules: { generation } }: App,
  name: string,
  permission: PermissionName,
  compile: () => Right,
): Right {
  const compiled: Compiled = compiledFor.get(generation) ?? new Map()
  const known = compiled.get(name)?.get(permission)
  if (known) {
    return known
  }
  compiledFor.set(generation, compiled)
  if (compiled.size >= maxCompiled && !compiled.has(name)) {
    compiled.clear()
  }
  const right = compile()
  compiled.set(name, (compiled.get(name) ?? new Map<PermissionName, Right>()).set(permission, right))
  return right
}

/**
 * Rights of a principal granted by users, without those granted by tokens: only these can be passed on.
 */
export function firstHandRight(app: App, principal: Principal, permission: PermissionName): Right {
  if (principal.madeWith) {
    return never
  }
  if (principal.isUnrestricted) {
    return always
  }
  return compiledRight(app, `${nameOf(principal)} first-hand`, permission, () => {
    const rights = ruleSetsOf(app, principal).map(({ holder, rules }) =>
      evaluator(rules(permission), permission, holder),
    )
    return (resource) => isWithinReach(principal, resource) && rights.every((isAllowed) => isAllowed(resource))
  })
}

/** Tests whether a token still has a right it used; false for a deleted token. */
export const tokensAllow =
  (app: App, permission: PermissionName): StillAllows =>
  (tokenId, resource) => {
    const token = app.personalAccessTokens.principalOf(tokenId)
    return token !== undefined && firstHandRight(app, token, permission)(resource)
  }

/** Tests a right of the maker of a link; false for a disabled or deleted account (T43). */
export function makerAllows(app: App, maker: Maker, permission: PermissionName, resource: Resource): boolean {
  const account = makerNow(app, maker)
  return account?.isEnabled === true && rightOf(app, account.principal, permission)(resource)
}

/** True while the maker of a link may make it, with a permission. */
const isBackedByMaker = (app: App, { credential }: Principal, permission: PermissionName, resource: Resource) =>
  credential.kind !== 'LogonToken' ||
  (makerAllows(app, credential, 'device.logon-token.create', resource) &&
    makerAllows(app, credential, permission, resource))

/** Compiles "may this principal use `permission` on …?" The only source of decisions. Rules: docs/rights.md. */
export function rightOf(app: App, principal: Principal, permission: PermissionName): Right {
  if (!isPermissionName(permission)) {
    return never
  }
  if (principal.isUnrestricted) {
    return always
  }
  return compiledRight(app, nameOf(principal), permission, () => {
    const { madeWith } = principal
    const stillAllows = tokensAllow(app, permission)
    const rights = ruleSetsOf(app, principal).map(({ holder, rules }) =>
      evaluator(rules(permission), permission, holder, stillAllows),
    )
    return (resource) =>
      isWithinReach(principal, resource) &&
      rights.every((isAllowed) => isAllowed(resource)) &&
      (!madeWith || stillAllows(madeWith, resource)) &&
      isBackedByMaker(app, principal, permission, resource)
  })
}

/** True if a principal holds a permission on a tenant, or on the server without a tenant. */
export const holds = (app: App, principal: Principal, permission: PermissionName, tenantId?: string): boolean =>
  rightOf(app, principal, permission)(tenantId === undefined ? { kind: 'Server' } : { kind: 'Tenant', tenantId })

/** True if a principal may read the assignments at the server, which readers of a tenant may not. */
export const maySeeServerRows = (app: App, principal: Principal): boolean =>
  holds(app, principal, 'server.permissions.read') || holds(app, principal, 'server.permissions.write')

/**
 * Names of the permissions that rows allow anywhere: by an allow that no deny revokes completely. Reads each row once for
 * all permissions, because a principal may have thousands of rows (T26).
 */
function namesHeldSomewhere({ holder, sources }: RuleSet, tenantId: string | null): ReadonlySet<string> {
  const legal = new Map<string, readonly ScopeKind[]>(
    [...permissions.keys()].map((name) => [name, allowedAt(name, holder)]),
  )
  const allowed = new Set<string>()
  const revoked = new Set<string>()
  for (const { permissionName, effect, scopeKind, scopeId, isEnabled } of sources().flatMap(({ rules }) => rules)) {
    const isWhole = scopeKind === 'Server' || (scopeKind === 'Tenant' && scopeId === tenantId)
    if (isEnabled && effect === 'Deny' && isWhole) {
      revoked.add(permissionName)
    } else if (
      isEnabled &&
      effect === 'Allow' &&
      legal.get(permissionName)?.includes(scopeKind) &&
      (isWhole || scopeKind !== 'Tenant' || tenantId === null)
    ) {
      allowed.add(permissionName)
    }
  }
  return new Set([...allowed].filter((name) => !revoked.has(name)))
}

/** A permission that a principal holds, and where it was given: of a token with rights of its own, by the token's rows. */
export function heldRights(app: App, principal: Principal) {
  const rules = principal.isUnrestricted ? undefined : ruleSetsOf(app, principal).at(-1)?.rules
  return mapInSlices(heldPermissions(app, principal), (permission) => {
    const allows = (rules?.(permission) ?? []).filter(({ isEnabled, effect }) => isEnabled && effect === 'Allow')
    const scopes = new Map(
      allows.map(({ scopeKind, scopeId }) => [`${scopeKind} ${scopeId}`, { kind: scopeKind, id: scopeId }]),
    )
    return {
      permission,
      scopes: principal.isUnrestricted ? [{ kind: 'Server' as const, id: null }] : [...scopes.values()],
    }
  })
}

/** Names of the permissions that a principal holds anywhere, to decide what to offer. */
export function heldPermissions(app: App, principal: Principal): PermissionName[] {
  const names = [...permissions.keys()]
  if (principal.isUnrestricted) {
    return names
  }
  const { credential, madeWith } = principal
  const token = madeWith ? app.personalAccessTokens.principalOf(madeWith) : undefined
  const maker = credential.kind === 'LogonToken' ? makerNow(app, credential)?.principal : undefined
  const sets = [principal, token, maker?.isUnrestricted ? undefined : maker]
    .filter((one) => one !== undefined)
    .flatMap((one) => ruleSetsOf(app, one))
    .map((set) => namesHeldSomewhere(set, principal.tenantId))
  return names.filter((name) => sets.every((held) => held.has(name)))
}
