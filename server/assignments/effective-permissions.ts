import { instant } from '../ground/instant.ts'
import { isPermissionName, type PermissionName, type PrincipalKind, type ScopeKind } from '../../shared/access.ts'
import type {
  EffectivePermissionQuery,
  EffectivePermissionResponseDto,
} from '../../shared/api/effective-permissions.ts'
import type { App, Call } from '../call/call.ts'
import { invalid, notFound } from '../ground/errors.ts'
import type { StoredRule } from '../rights/rule-mirror.ts'
import { allowedAt, covers, evaluator, type Resource } from '../rights/evaluate.ts'
import { tokensAllow } from '../rights/rights.ts'
import { findReceiver, findResources, type Receiver } from './assignment-targets.ts'
import { describePlace, namesOf, type Names } from './readable-names.ts'

/** Rule of a principal, held directly or through a group. */
export interface SourcedRule extends StoredRule {
  groupId: string | null
}

/** Rules of a principal about one permission, with those that have ended. */
function rulesFor({ rules }: App, { kind, id }: Receiver, permission: string): SourcedRule[] {
  const from = (principalId: string, groupId: string | null) =>
    rules.allOf(principalId).flatMap((rule) => (rule.permissionName === permission ? [{ ...rule, groupId }] : []))
  const memberships = kind === 'User' ? rules.membershipsOf(id) : []
  const through = memberships.flatMap(({ groupId, boundTo = [] }) =>
    from(groupId, groupId).map((rule) => {
      const tokens = [...(rule.boundTo ?? []), ...boundTo]
      return tokens.length > 0 ? { ...rule, boundTo: tokens } : rule
    }),
  )
  return [...from(id, null), ...through]
}

/** A question about a principal, with everything that its answer follows from. */
export interface Question {
  receiver: Receiver
  permission: PermissionName
  /** The permission in sentences. */
  label: string
  resource: Resource
  /** Rules about the permission that have not ended, and those that have. */
  rules: readonly SourcedRule[]
  ended: readonly SourcedRule[]
  isAllowed: boolean
}

/** Answers with the evaluator of every request. Undefined for a name that is no permission. */
export async function decide(
  { app }: Call,
  tenantId: string,
  principalId: string,
  { principalKind, permissionName, scopeKind, scopeId }: EffectivePermissionQuery,
): Promise<Question | undefined> {
  const receiver = await findReceiver(app, tenantId, principalKind, principalId)
  if (!receiver || receiver.holder === 'ServerServiceAccount') {
    throw notFound('principal')
  }
  if (!isPermissionName(permissionName)) {
    return undefined
  }
  const scope = { scopeKind: scopeKind as ScopeKind, scopeId: scopeId ?? null }
  const resource = (await findResources(app, tenantId, [scope]))(scope)
  if (!resource || (scopeKind === 'Tenant' && scopeId !== undefined && scopeId !== tenantId)) {
    throw invalid({ scopeId: [`names no ${scopeKind} of this tenant`] })
  }
  const now = app.clock.now()
  const hasEnded = ({ endsAt }: SourcedRule) => endsAt !== undefined && endsAt <= now
  const all = rulesFor(app, receiver, permissionName)
  const rules = all.filter((rule) => !hasEnded(rule))
  const stillAllows = tokensAllow(app, permissionName)
  const isAllowed = receiver.isEnabled && evaluator(rules, permissionName, receiver.holder, stillAllows)(resource)
  return {
    receiver,
    permission: permissionName,
    label: permissionName,
    resource,
    rules,
    ended: all.filter(hasEnded),
    isAllowed,
  }
}

/** Kinds of principal that can be queried. */
const nouns: Partial<Record<PrincipalKind, string>> = {
  User: 'user',
  UserGroup: 'user group',
  ServiceAccount: 'service account',
}

function describe(names: Names, { scopeKind, scopeId, groupId }: SourcedRule): string {
  const source = groupId === null ? '' : `, through ${describePlace(names, 'UserGroup', groupId)}`
  return `at ${describePlace(names, scopeKind, scopeId)}${source}`
}

const maxNamed = 3

export interface Denial {
  /** Rules that the sentence names. */
  named: readonly SourcedRule[]
  sentence(names: Names): string
}

const denialBy = (rule: SourcedRule, sentence: (place: string) => string): Denial => ({
  named: [rule],
  sentence: (names) => sentence(describe(names, rule)),
})

/** Explains why no row allows a permission: none covers the scope. */
function explainMissing({ receiver, permission, label, rules, ended, resource }: Question): Denial {
  const { kind, holder } = receiver
  const allows = rules.filter(({ effect }) => effect === 'Allow')
  const disabled = allows.find((rule) => !rule.isEnabled && covers(rule, resource))
  if (disabled) {
    return denialBy(disabled, (place) => `The assignment of ${label} ${place} is disabled.`)
  }
  const legal = allowedAt(permission, holder)
  const given = allows.find((rule) => rule.boundTo && legal.includes(rule.scopeKind) && covers(rule, resource))
  if (given) {
    return denialBy(
      given,
      (place) => `${label} was given ${place} with a restricted token that does not hold it there.`,
    )
  }
  const over = ended.find((rule) => rule.effect === 'Allow' && rule.isEnabled && covers(rule, resource))
  if (over) {
    return denialBy(over, (place) => `The assignment of ${label} ${place} ended at ${instant(over.endsAt!)}.`)
  }
  const elsewhere = allows.filter(({ isEnabled, scopeKind }) => isEnabled && legal.includes(scopeKind))
  if (elsewhere.length === 0) {
    const groups = kind === 'User' ? ' or its user groups' : ''
    const text = `No assignment gives ${label} to this ${nouns[kind] ?? 'principal'}${groups}.`
    return { named: [], sentence: () => text }
  }
  const named = elsewhere.slice(0, maxNamed)
  const more = elsewhere.length > maxNamed ? `; and ${elsewhere.length - maxNamed} more` : ''
  return {
    named,
    sentence(names) {
      const places = named.map((rule) => describe(names, rule)).join('; ')
      return `${label} is given only ${places}${more}, which does not include this scope.`
    },
  }
}

export function explainDenial(question: Question): Denial {
  const { receiver, label, rules, resource } = question
  if (!receiver.isEnabled) {
    return { named: [], sentence: () => 'The service account is disabled.' }
  }
  const deny = rules.find((rule) => rule.isEnabled && rule.effect === 'Deny' && covers(rule, resource))
  return deny
    ? denialBy(deny, (place) => `${label} is denied ${place}. A denial overrides every allow.`)
    : explainMissing(question)
}

/** Ids of the things that sentences about some rules name. */
export const namedIn = (rules: readonly SourcedRule[]): string[] =>
  rules.flatMap(({ scopeId, groupId }) => [scopeId, groupId].filter((id) => id !== null))

/** Reports whether a principal of the tenant holds a permission, and if not, why. */
export async function explainPermission(
  call: Call,
  tenantId: string,
  principalId: string,
  query: EffectivePermissionQuery,
): Promise<EffectivePermissionResponseDto> {
  const question = await decide(call, tenantId, principalId, query)
  if (!question) {
    return { isAllowed: false, denyReason: `There is no permission ${query.permissionName}.` }
  }
  if (question.isAllowed) {
    return { isAllowed: true, denyReason: null }
  }
  const denial = explainDenial(question)
  const names = await namesOf(call, tenantId, namedIn(denial.named))
  return { isAllowed: false, denyReason: denial.sentence(names) }
}
