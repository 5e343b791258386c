import { isPermissionName, type PermissionName, type PrincipalKind, type ScopeKind } from '../../../shared/access.ts'
import type {
  EffectivePermissionQuery,
  EffectivePermissionResponseDto,
} from '../../../shared/api/effective-permissions.ts'
import type { App, Call } from '../../call.ts'
import { invalid, notFound } from '../../errors.ts'
import type { Rule } from '../../mirrors/rules.ts'
import { allowedAt, covers, evaluator, type Resource } from '../../policies/evaluate.ts'
import { tokensAllow } from '../../policies/rights.ts'
import { findReceiver, findResources, type Receiver } from './assignment-targets.ts'

/** Rule of a principal, held directly or through a group. */
interface SourcedRule extends Rule {
  groupId: string | null
}

function rulesFor({ rules }: App, { kind, id }: Receiver): SourcedRule[] {
  const from = (principalId: string, groupId: string | null) =>
    rules.of(principalId).map((rule) => ({ ...rule, groupId }))
  const memberships = kind === 'User' ? rules.membershipsOf(id) : []
  const through = memberships.flatMap(({ groupId, boundTo = [] }) =>
    from(groupId, groupId).map((rule) => {
      const tokens = [...(rule.boundTo ?? []), ...boundTo]
      return tokens.length > 0 ? { ...rule, boundTo: tokens } : rule
    }),
  )
  return [...from(id, null), ...through]
}

/** Kinds of principal that can be queried. */
const nouns: Partial<Record<PrincipalKind, string>> = {
  User: 'user',
  UserGroup: 'user group',
  ServiceAccount: 'service account',
}

const places: Record<ScopeKind, string> = {
  Server: 'the server',
  Tenant: 'the tenant',
  CustomerTenant: 'the customer',
  DeviceGroup: 'the device group',
  Device: 'the device',
  UserGroup: 'the user group',
}

const quoted = (name: string | undefined) => (name === undefined ? '' : ` “${name}”`)

/** Name of a scope's entity; undefined for the server and the tenant. */
async function nameOf({ models, fleet }: App, scopeKind: ScopeKind, scopeId: string): Promise<string | undefined> {
  switch (scopeKind) {
    case 'CustomerTenant':
      return (await models.Customer.findByPk(scopeId))?.name
    case 'DeviceGroup':
      return (await models.DeviceGroup.findByPk(scopeId))?.name
    case 'UserGroup':
      return (await models.UserGroup.findByPk(scopeId))?.name
    case 'Device':
      return fleet.get(scopeId)?.alias ?? fleet.get(scopeId)?.name
    default:
      return undefined
  }
}

const describeScope = async (app: App, { scopeKind, scopeId }: Rule): Promise<string> =>
  places[scopeKind] + quoted(scopeId === null ? undefined : await nameOf(app, scopeKind, scopeId))

async function describe(app: App, rule: SourcedRule): Promise<string> {
  const group = rule.groupId === null ? undefined : await app.models.UserGroup.findByPk(rule.groupId)
  const source = group ? `, through the user group${quoted(group.name)}` : ''
  return `at ${await describeScope(app, rule)}${source}`
}

const maxNamed = 3

/** Explains why no row allows a permission: none covers the scope. */
async function describeMissing(
  app: App,
  { kind, holder }: Receiver,
  permission: PermissionName,
  rules: readonly SourcedRule[],
  resource: Resource,
): Promise<string> {
  const allows = rules.filter(({ effect }) => effect === 'Allow')
  const disabled = allows.find((rule) => !rule.isEnabled && covers(rule, resource))
  if (disabled) {
    return `The assignment of ${permission} ${await describe(app, disabled)} is disabled.`
  }
  const legal = allowedAt(permission, holder)
  const given = allows.find((rule) => rule.boundTo && legal.includes(rule.scopeKind) && covers(rule, resource))
  if (given) {
    return `${permission} was given ${await describe(app, given)} with a restricted token that does not hold it there.`
  }
  const elsewhere = allows.filter(({ isEnabled, scopeKind }) => isEnabled && legal.includes(scopeKind))
  if (elsewhere.length === 0) {
    const groups = kind === 'User' ? ' or its user groups' : ''
    return `No assignment gives ${permission} to this ${nouns[kind] ?? 'principal'}${groups}.`
  }
  const named = await Promise.all(elsewhere.slice(0, maxNamed).map((rule) => describe(app, rule)))
  const more = elsewhere.length > maxNamed ? `; and ${elsewhere.length - maxNamed} more` : ''
  return `${permission} is given only ${named.join('; ')}${more}, which does not include this scope.`
}

/**
 * Reports whether a principal of the tenant holds a permission, and if not, why. Decides with the evaluator of every
 * request.
 */
export async function explainPermission(
  { app }: Call,
  tenantId: string,
  principalId: string,
  { principalKind, permissionName, scopeKind, scopeId }: EffectivePermissionQuery,
): Promise<EffectivePermissionResponseDto> {
  const receiver = await findReceiver(app, tenantId, principalKind, principalId)
  if (!receiver || receiver.holder === 'ServerServiceAccount') {
    throw notFound('principal')
  }
  const denied = (denyReason: string) => ({ isAllowed: false, denyReason })
  if (!isPermissionName(permissionName)) {
    return denied(`There is no permission ${permissionName}.`)
  }
  const scope = { scopeKind: scopeKind as ScopeKind, scopeId: scopeId ?? null }
  const resource = (await findResources(app, tenantId, [scope]))(scope)
  if (!resource || (scopeKind === 'Tenant' && scopeId !== undefined && scopeId !== tenantId)) {
    throw invalid({ scopeId: [`names no ${scopeKind} of this tenant`] })
  }
  if (!receiver.isEnabled) {
    return denied('The service account is disabled.')
  }
  const rules = rulesFor(app, receiver).filter((rule) => rule.permissionName === permissionName)
  const stillAllows = tokensAllow(app, permissionName)
  if (evaluator(rules, permissionName, receiver.holder, stillAllows)(resource)) {
    return { isAllowed: true, denyReason: null }
  }
  const deny = rules.find((rule) => rule.isEnabled && rule.effect === 'Deny' && covers(rule, resource))
  return denied(
    deny
      ? `${permissionName} is denied ${await describe(app, deny)}. A denial overrides every allow.`
      : await describeMissing(app, receiver, permissionName, rules, resource),
  )
}
