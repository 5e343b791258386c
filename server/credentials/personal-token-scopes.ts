import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { isPermissionName, type PermissionName, type ScopeKind } from '../../shared/access.ts'
import type { PersonalAccessTokenMode, PersonalAccessTokenScopeDto } from '../../shared/dtos/personal-access-token.ts'
import { rowLimits } from '../../shared/row-limits.ts'
import type { App, Call } from '../call/call.ts'
import { rowLimitReached } from '../call/check-row-limit.ts'
import { asUser, type Principal } from '../ground/principal.ts'
import { forbidden, invalid } from '../ground/errors.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import type { PersonalAccessTokenRow } from './tables.ts'
import { allowedAt } from '../rights/evaluate.ts'
import { checkTokenHolds, restrictingTokenOf } from '../rights/restricting-token.ts'
import { rightOf, ruleListsOfUser } from '../rights/rights.ts'
import type { Rule } from '../rights/rule-mirror.ts'
import { checkMayActAs } from '../assignments/acting-as.ts'
import { findResources } from '../assignments/assignment-targets.ts'

export interface TokenOwner {
  id: string
  tenantId: string
}

const isToken = ({ credential }: Principal) =>
  credential.kind === 'PersonalAccessToken' || credential.kind === 'LogonToken'

/**
 * Throws 403 when a token makes a token without limits, and when the owner holds management permissions that the
 * principal lacks (T27). Returns the restricted token that limits the new token, or null without such a token.
 */
export function checkMayMakeToken(
  { app, principal }: Call,
  owner: TokenOwner,
  mode: PersonalAccessTokenMode,
): string | null {
  const isOwn = principal.kind === 'User' && principal.id === owner.id
  if (mode === 'InheritOwner' && isToken(principal)) {
    throw forbidden('A token may only make Restricted tokens. Sign in to make one that inherits from its owner.')
  }
  if (!isOwn) {
    checkMayActAs(app, principal, owner)
  }
  const permission = isOwn ? 'personal-access-token.self.write' : 'personal-access-token.others.write'
  return restrictingTokenOf(app, principal, [{ permission, on: { kind: 'Tenant', tenantId: owner.tenantId } }])
}

/** The owner as principal, without the limits of a token. */
const inPerson = ({ id, tenantId }: TokenOwner): Principal => ({
  ...asUser({ id, tenantId, userName: '' }),
  credential: { kind: 'BearerToken', familyId: '' },
  isLive: () => true,
  use: () => true,
})

type Scope = Pick<PermissionAssignmentRow, 'permissionName' | 'scopeKind' | 'scopeId'>

type AskedScope = Pick<PersonalAccessTokenScopeDto, 'permissionName' | 'scopeKind' | 'scopeId'>

/** Distinct requested scopes. The tenant is always the tenant of the request. */
function scopesIn({ tenantId }: TokenOwner, asked: readonly AskedScope[]): Scope[] {
  const scopes = asked.map(({ permissionName, scopeKind, scopeId }): Scope => {
    const own = scopeKind === 'Server' ? null : (scopeId ?? null)
    return { permissionName, scopeKind: scopeKind as ScopeKind, scopeId: scopeKind === 'Tenant' ? tenantId : own }
  })
  return [...new Map(scopes.map((scope) => [Object.values(scope).join(' '), scope])).values()]
}

/**
 * Throws 400 for unknown or unsuitable scopes, and 403 for permissions that the owner, or a token as principal, does
 * not hold there.
 */
async function checkScopes(
  call: Call,
  owner: TokenOwner,
  token: PersonalAccessTokenRow,
  scopes: readonly Scope[],
  transaction: Transaction,
): Promise<void> {
  const { app, principal: caller } = call
  const ownerInPerson = inPerson(owner)
  const resourceOf = await findResources(app, owner.tenantId, scopes, transaction)
  for (const scope of scopes) {
    const { permissionName, scopeKind } = scope
    const legal = allowedAt(permissionName, 'User')
    if (!legal.includes(scopeKind)) {
      throw invalid({ scopes: [`give ${permissionName} at ${scopeKind}, where only ${legal.join(', ')} is possible`] })
    }
    const resource = resourceOf(scope)
    if (!resource) {
      throw invalid({ scopes: [`name no ${scopeKind} of the tenant for ${permissionName}`] })
    }
    const holders = isToken(caller) ? [ownerInPerson, caller] : [ownerInPerson]
    if (!holders.every((holder) => rightOf(app, holder, permissionName)(resource))) {
      throw forbidden(`A token may not get ${permissionName} at a scope where it is not held.`)
    }
    checkTokenHolds(app, token.madeWith, [{ permission: permissionName, on: resource }])
  }
}

type Allow = Rule & { permissionName: PermissionName }

/** Rules by which a token of the owner may get something, of the owner and its groups, by permission. */
function allowsOf(app: App, { id }: TokenOwner): ReadonlyMap<PermissionName, Allow[]> {
  const isGrantable = (rule: Rule): rule is Allow =>
    rule.isEnabled &&
    rule.effect === 'Allow' &&
    isPermissionName(rule.permissionName) &&
    allowedAt(rule.permissionName, 'User').includes(rule.scopeKind)
  const rules = ruleListsOfUser(app, id).flatMap((own: readonly Rule[]) => own.filter(isGrantable))
  return Map.groupBy(rules, ({ permissionName }) => permissionName)
}

async function heldScopes(app: App, owner: TokenOwner, scopes: readonly Scope[]): Promise<Scope[]> {
  const ownerInPerson = inPerson(owner)
  const resourceOf = await findResources(app, owner.tenantId, scopes)
  return scopes.filter((scope) => {
    const resource = resourceOf(scope)
    return resource !== undefined && rightOf(app, ownerInPerson, scope.permissionName)(resource)
  })
}

/** Rules of a permission that are tried at once: an owner may have thousands, and almost always holds the first. */
const triedAtOnce = 100

/** Permissions that a token of the owner may get somewhere. */
export async function grantablePermissions({ app }: Call, owner: TokenOwner): Promise<PermissionName[]> {
  const names: PermissionName[] = []
  for (const [permission, rules] of allowsOf(app, owner)) {
    let isHeld = false
    for (let start = 0; start < rules.length && !isHeld; start += triedAtOnce) {
      const scopes = scopesIn(owner, rules.slice(start, start + triedAtOnce))
      isHeld = (await heldScopes(app, owner, scopes)).length > 0
    }
    if (isHeld) {
      names.push(permission)
    }
  }
  return names
}

/**
 * Scopes that a token of the owner may get with some permissions: where rules of the owner or of its groups allow, and
 * the owner holds them. Throws 409 for too many.
 */
export async function grantableScopes(
  { app }: Call,
  owner: TokenOwner,
  wanted: readonly PermissionName[],
): Promise<Scope[]> {
  const allows = allowsOf(app, owner)
  const scopes = scopesIn(
    owner,
    wanted.flatMap((name) => allows.get(name) ?? []),
  )
  if (scopes.length > rowLimits['scopes of an access token']) {
    throw rowLimitReached('scopes of an access token', 'Choose fewer rights, or a token with all of your rights.')
  }
  return heldScopes(app, owner, scopes)
}

/** Builds the assignment rows of a new token. */
export async function tokenAssignments(
  call: Call,
  owner: TokenOwner,
  token: PersonalAccessTokenRow,
  asked: readonly PersonalAccessTokenScopeDto[],
  transaction: Transaction,
): Promise<PermissionAssignmentRow[]> {
  const scopes = scopesIn(owner, asked)
  await checkScopes(call, owner, token, scopes, transaction)
  return scopes.map((scope) => ({
    ...scope,
    id: randomUUID(),
    owningTenantId: scope.scopeKind === 'Server' ? null : owner.tenantId,
    principalKind: 'PersonalAccessToken',
    principalId: token.id,
    effect: 'Allow',
    notes: null,
    isEnabled: true,
    createdAt: token.createdAt,
    // The token itself records its maker, so its rows need none.
    madeWith: null,
  }))
}
