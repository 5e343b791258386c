import { instant } from '../ground/instant.ts'
import type { PermissionName } from '../../shared/access.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { roles, rolesIn, type RoleName } from '../../shared/roles.ts'
import type { StoredRule } from '../rights/rule-mirror.ts'
import type { RightsCheckQuery } from '../../shared/api/appliance-rights.ts'
import type { RightsCheckDto, RuleVerdict } from '../../shared/dtos/rights.ts'
import type { Call } from '../call/call.ts'
import { found } from '../ground/errors.ts'
import { allowedAt, covers } from '../rights/evaluate.ts'
import { tokensAllow } from '../rights/rights.ts'
import { decide, explainDenial, namedIn, type Question, type SourcedRule } from './effective-permissions.ts'
import { describePlace, namesOf, type Names } from './readable-names.ts'

/** Listed rules: those that decide come first, the rest is counted. */
const maxRules = 20

const order: readonly RuleVerdict[] = ['decides', 'overridden', 'token', 'disabled', 'ended', 'illegal', 'elsewhere']

/** Judges every rule of a question, in one pass. */
function judge(
  { app }: Call,
  { receiver, permission, resource, rules, ended, isAllowed }: Question,
): { rule: SourcedRule; verdict: RuleVerdict }[] {
  const legal = allowedAt(permission, receiver.holder)
  const stillAllows = tokensAllow(app, permission)
  const verdictOf = (rule: SourcedRule): RuleVerdict => {
    if (!rule.isEnabled) {
      return 'disabled'
    }
    if (!covers(rule, resource)) {
      return 'elsewhere'
    }
    if (rule.effect === 'Deny') {
      return 'decides'
    }
    if (!legal.includes(rule.scopeKind)) {
      return 'illegal'
    }
    if (rule.boundTo?.every((token) => stillAllows(token, resource)) === false) {
      return 'token'
    }
    return isAllowed ? 'decides' : 'overridden'
  }
  return [
    ...rules.map((rule) => ({ rule, verdict: verdictOf(rule) })),
    ...ended.map((rule) => ({ rule, verdict: 'ended' as const })),
  ].toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
}

/** Role that gives a permission: of those that the rules beside it, at the same place, amount to. */
function roleOf({ app }: Call, principalId: string, rule: SourcedRule): RoleName | null {
  const { scopeKind, scopeId, effect, isEnabled, endsAt } = rule
  const isBeside = (other: StoredRule) =>
    other.scopeId === scopeId &&
    other.scopeKind === scopeKind &&
    other.effect === effect &&
    other.isEnabled === isEnabled &&
    other.endsAt === endsAt
  const beside = app.rules.allOf(rule.groupId ?? principalId).filter(isBeside)
  const permission = rule.permissionName as PermissionName
  const held = rolesIn(
    beside.map(({ permissionName }) => permissionName as PermissionName),
    scopeKind,
  ).roles
  return held.find((role) => (roles[role].permissions as readonly PermissionName[]).includes(permission)) ?? null
}

function allowSentence(names: Names, rule: SourcedRule, label: string, role: RoleName | null): string {
  const by = role === null ? '' : ` by the role ${roles[role].title}`
  const place = describePlace(names, rule.scopeKind, rule.scopeId)
  const source = rule.groupId === null ? '' : `, through ${describePlace(names, 'UserGroup', rule.groupId)}`
  return `${label} is given${by} at ${place}${source}, and nothing denies it.`
}

/** Answers "may this principal do that on this thing, and why?" with the rules that decide. */
export async function checkRights(
  call: Call,
  tenantId: string,
  { principalId, ...query }: RightsCheckQuery,
): Promise<RightsCheckDto> {
  const decided = found(await decide(call, tenantId, principalId, query), 'permission')
  const { permission, isAllowed } = decided
  const question = { ...decided, label: `“${permissionTexts[permission].displayName}”` }
  const scopeId = query.scopeKind === 'Tenant' ? tenantId : (query.scopeId ?? null)
  const judged = judge(call, question)
  const listed = judged.slice(0, maxRules)
  const denial = isAllowed ? undefined : explainDenial(question)
  const named = namedIn([...listed.map(({ rule }) => rule), ...(denial?.named ?? [])])
  const names = await namesOf(call, tenantId, [principalId, ...(scopeId ? [scopeId] : []), ...named])
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  const roleFor = (rule: SourcedRule) => roleOf(call, principalId, rule)
  return {
    isAllowed,
    reason: denial
      ? denial.sentence(names)
      : allowSentence(names, listed[0]!.rule, question.label, roleFor(listed[0]!.rule)),
    principal: { kind: query.principalKind, id: principalId, name: nameOf(principalId) },
    scope: { kind: query.scopeKind, id: scopeId, name: nameOf(scopeId) },
    permissionName: permission,
    rules: listed.map(({ rule, verdict }) => ({
      assignmentId: rule.id,
      effect: rule.effect,
      scope: { kind: rule.scopeKind, id: rule.scopeId, name: nameOf(rule.scopeId) },
      role: roleFor(rule),
      through: rule.groupId === null ? null : { id: rule.groupId, name: nameOf(rule.groupId) },
      endsAt: rule.endsAt === undefined ? null : instant(rule.endsAt),
      verdict,
    })),
    moreRules: judged.length - listed.length,
  }
}
