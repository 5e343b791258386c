import { z } from 'zod'
import { dateTime, dto, id, textOrNull } from '../contract/fields.ts'
import { permissions } from '../access.ts'
import { roleNames } from '../roles.ts'
import { PermissionEffect, PrincipalKind, ScopeKind } from './permission-assignment.ts'

/** Something with a name that the caller may or may not read. */
const name = textOrNull.describe('Null for a name that the caller may not read.')

export const RoleNameField = z
  .enum(roleNames as [(typeof roleNames)[number], ...typeof roleNames])
  .meta({ id: 'RoleName' })

export const PermissionNames = z.enum([...permissions.keys()])

const principal = z.object({
  kind: PrincipalKind.describe('Kind of principal.'),
  id: id.describe('User, user group or service account.'),
  name,
})

const scope = z.object({
  kind: ScopeKind.describe('Kind of thing that is reached.'),
  id: id.nullable().describe('Null for the server.'),
  name,
})

/** Assignments of one principal at one scope that share effect, switch and end. */
export const RightsGrantDto = dto('RightsGrantDto', {
  principal: principal.describe('User, user group or service account.'),
  scope: scope.describe('Thing that is reached.'),
  effect: PermissionEffect.describe('A deny overrides every allow that reaches the same thing.'),
  isEnabled: z.boolean().describe('What is disabled counts as if it were not there.'),
  endsAt: dateTime.nullable().describe('The assignments count before this instant only; null: without an end.'),
  hasEnded: z.boolean().describe('Whether `endsAt` has passed.'),
  roles: z.array(RoleNameField).describe('Roles that the permissions amount to.'),
  beyond: z.array(z.string()).describe('Permissions beyond these roles.'),
  assignmentIds: z.array(id).describe('The single assignments, for changes.'),
  permissions: z.array(z.string()).describe('Names of all permissions, in the order of `assignmentIds`.'),
  createdAt: dateTime.describe('When the oldest of the assignments was made.'),
})
export type RightsGrantDto = z.output<typeof RightsGrantDto>

export const ruleVerdicts = ['decides', 'overridden', 'elsewhere', 'disabled', 'ended', 'illegal', 'token'] as const
export type RuleVerdict = (typeof ruleVerdicts)[number]

/** A rule about the permission that a check asks for. */
export const CheckedRuleDto = dto('CheckedRuleDto', {
  assignmentId: id.describe('The assignment.'),
  effect: PermissionEffect.describe('Allow or deny.'),
  scope: scope.describe('Thing that is reached.'),
  role: RoleNameField.nullable().describe('Role that gives it, of those held there in one; null for a single right.'),
  through: z
    .object({ id: id.describe('The group.'), name })
    .nullable()
    .describe('User group through which the rule reaches the person; null for a rule of its own.'),
  endsAt: dateTime.nullable().describe('The rule counts before this instant only; null: without an end.'),
  verdict: z
    .enum(ruleVerdicts)
    .describe(
      '`decides`: wins; `overridden`: reaches the thing, but a deny wins; `elsewhere`: reaches other things only; ' +
        '`illegal`: an allow at a scope where this permission counts for nobody; `token`: made with a restricted token ' +
        'that no longer holds the permission there.',
    ),
})
export type CheckedRuleDto = z.output<typeof CheckedRuleDto>

export const RightsCheckDto = dto('RightsCheckDto', {
  isAllowed: z.boolean().describe('Whether the principal may do it there, decided as every request decides.'),
  reason: z.string().describe('One sentence that says why.'),
  principal: principal.describe('User, user group or service account.'),
  scope: scope.describe('Thing that is reached.'),
  permissionName: z.string().describe('A `name` of the catalog of permissions.'),
  rules: z.array(CheckedRuleDto).describe('Rules about this permission, those that decide first; at most 20.'),
  moreRules: z.number().int().describe('Further rules that are not listed.'),
})
export type RightsCheckDto = z.output<typeof RightsCheckDto>

export const ScopeDevicesDto = dto('ScopeDevicesDto', {
  count: z.number().int().describe('Devices within the scope that the caller may read.'),
  online: z.number().int().describe('Those of them that are online.'),
  names: z.array(z.string()).describe('Names of the first ten.'),
})
export type ScopeDevicesDto = z.output<typeof ScopeDevicesDto>
