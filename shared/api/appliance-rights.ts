import { z } from 'zod'
import { dateTime, dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { PermissionEffect, PrincipalKind, ScopeKind } from '../dtos/permission-assignment.ts'
import { RightsCheckDto, RightsGrantDto, RoleNameField, ScopeDevicesDto } from '../dtos/rights.ts'
import { mostOf } from '../row-limits.ts'

/** Limit of assignments that one request makes: its undo is one batch deletion of the interface. */
export const maxGrantedRows = 1000

const reading = { access: { permission: 'tenant.permissions.read', on: 'tenant' }, tenant: 'queryOrClaim' } as const
const writing = { access: { permission: 'tenant.permissions.write', on: 'tenant' }, tenant: 'queryOrClaim' } as const

/** People and accounts that can be given rights on the page; rights of tokens belong to their tokens. */
export const holderKinds = ['User', 'UserGroup', 'ServiceAccount'] as const
const HolderKind = PrincipalKind.refine(
  (kind) => kind === 'User' || kind === 'UserGroup' || kind === 'ServiceAccount',
  'must be User, UserGroup or ServiceAccount',
)

const scopeIdText = 'The thing; left out for Server and Tenant.'
const placed = {
  scopeKind: ScopeKind.describe('Kind of thing.'),
  scopeId: id.optional().describe(scopeIdText),
}

const search = z.object({
  text: z.string().trim().max(128).optional().describe('Part of the name of a principal, customer or group.'),
  principalId: id.optional().describe('Only this principal.'),
  principalKind: HolderKind.optional().describe('Only principals of this kind.'),
  scopeKind: ScopeKind.optional().describe('Only assignments at this kind of scope.'),
  scopeId: id.optional().describe('Only assignments at this thing.'),
  deviceId: id.optional().describe('Only assignments that reach this device, wherever they are given.'),
  role: RoleNameField.optional().describe('Only where the permissions include this role.'),
  state: z
    .enum(['active', 'ending', 'ended', 'disabled', 'deny'])
    .optional()
    .describe('`active`: neither disabled nor ended; `ending`: with an end to come; `deny`: denials.'),
  page: z.coerce.number().int().min(0).max(100_000).default(0).describe('Counted from 0.'),
  pageSize: z.coerce.number().int().min(1).max(200).default(100).describe('1 to 200.'),
})
export type RightsSearch = z.output<typeof search>

export const RightsCheckQuery = z.object({
  principalKind: HolderKind.describe('Kind of principal that `principalId` names.'),
  principalId: id.describe('User, user group or service account of the tenant.'),
  permissionName: z.string().trim().min(1).max(150).describe('A `name` of the catalog of permissions.'),
  scopeKind: ScopeKind.default('Tenant').describe('Kind of thing that is asked about.'),
  scopeId: id.optional().describe(scopeIdText),
})
export type RightsCheckQuery = z.output<typeof RightsCheckQuery>

export const GrantRightsDto = z
  .object({
    principals: z
      .array(
        z.object({
          principalKind: HolderKind.describe('Kind of principal.'),
          principalId: id.describe('User, user group or service account of the tenant.'),
        }),
      )
      .min(1)
      .max(100)
      .describe('1 to 100 people, groups or service accounts.'),
    role: RoleNameField.optional().describe('Role to give; required without `permissions`.'),
    permissions: z
      .array(z.string().min(1).max(150))
      .min(1)
      .max(100)
      .optional()
      .describe('Single permissions to give, besides the role.'),
    effect: PermissionEffect.default('Allow').describe('`Allow`, or `Deny`, which overrides every allow.'),
    scopes: z
      .array(
        z.object({
          scopeKind: ScopeKind.describe('Kind of thing.'),
          scopeId: id.nullish().describe('The thing; null or left out for Server and Tenant.'),
        }),
      )
      .min(1)
      .max(100)
      .describe('1 to 100 things that the rights reach.'),
    endsAt: dateTime.nullish().describe('The assignments count before this instant only; null or left out: no end.'),
    isEnabled: z.boolean().default(true).describe('False: stored, and ignored when rights are decided.'),
    notes: z.string().trim().max(500).nullish().describe('Free text of at most 500 characters.'),
  })
  .refine(({ role, permissions }) => role !== undefined || permissions !== undefined, {
    message: 'is required without permissions',
    path: ['role'],
  })
  .meta({ id: 'GrantRightsDto' })
export type GrantRightsDto = z.output<typeof GrantRightsDto>

export const ChangeGrantsDto = dto('ChangeGrantsDto', {
  assignmentIds: z.array(id).min(1).max(200).describe('1 to 200 assignments.'),
  endsAt: dateTime.nullish().describe('New end; null removes the end; left out: unchanged.'),
  isEnabled: z.boolean().optional().describe('Switches the assignments on or off; left out: unchanged.'),
})
export type ChangeGrantsDto = z.output<typeof ChangeGrantsDto>

const changesFile = {
  method: 'GET',
  query: z.object({
    actionType: z.string().trim().max(100).optional().describe('Only entries with exactly this `actionType`.'),
    targetType: z.string().trim().max(100).optional().describe('Only entries with exactly this `targetType`.'),
    actorType: z.string().trim().max(100).optional().describe('Only entries with exactly this `actorPrincipalType`.'),
    searchText: z.string().trim().max(128).optional().describe('As in the list of the interface.'),
    from: dateTime.optional().describe('First instant, included.'),
    to: dateTime.optional().describe('Last instant, included.'),
  }),
  response: z.unknown(),
  content: 'stream',
  mediaType: 'text/csv; charset=utf-8',
} as const

/** Rights as people see them: roles, ends, reasons. */
export const applianceRights = defineRoutes('Rights', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/rights/grants',
    summary: 'Who is given or denied what, in a tenant: the assignments of a principal at a scope are one item',
    ...reading,
    query: search,
    response: dto('RightsGrantListDto', {
      items: z.array(RightsGrantDto).describe('One page, by the name of the principal.'),
      totalItems: z.number().int().describe('Items that match, over all pages.'),
    }),
  },
  grant: {
    method: 'POST',
    path: '/api/appliance/v1/rights/grants',
    summary: 'Give or deny a role or permissions to principals at scopes, with an end if wanted: all of it or nothing',
    description:
      'What exists already stays; equal assignments that are disabled, or end earlier, are replaced. At most 1,000 ' +
      'assignments (principals times permissions times scopes).',
    problems: { 409: `One of them would exceed the limit: ${mostOf('assignments of a principal')}.` },
    ...writing,
    body: GrantRightsDto,
    response: dto('GrantedRightsDto', {
      assignmentIds: z.array(id).describe('New assignments; what existed already is not among them.'),
    }),
  },
  change: {
    method: 'PATCH',
    path: '/api/appliance/v1/rights/grants',
    summary: 'Switch assignments on or off, or set their end: all of them or none',
    ...writing,
    body: ChangeGrantsDto,
  },
  check: {
    method: 'GET',
    path: '/api/appliance/v1/rights/check',
    summary: 'Whether a principal may do something on a thing, and which rules decide',
    ...reading,
    query: RightsCheckQuery,
    response: RightsCheckDto,
  },
  scope: {
    method: 'GET',
    path: '/api/appliance/v1/rights/scope',
    summary: 'Devices within a scope that the caller may read',
    ...reading,
    query: z.object(placed),
    response: ScopeDevicesDto,
  },
  find: {
    method: 'GET',
    path: '/api/appliance/v1/rights/find',
    summary: 'Principals, or things of one kind, whose name contains a text, as far as the caller may read them',
    ...reading,
    query: z.object({
      kind: z
        .enum(['Principal', 'CustomerTenant', 'DeviceGroup', 'Device', 'UserGroup'])
        .describe('`Principal`: people, user groups and service accounts; or a kind of scope.'),
      text: z.string().trim().max(128).default('').describe('Part of the name.'),
      take: z.coerce.number().int().min(1).max(50).default(20).describe('1 to 50.'),
    }),
    response: listDto(
      'RightsFoundDto',
      z.object({
        kind: z.string().describe('Kind of thing.'),
        id: id.describe('The thing.'),
        name: z.string().describe('Its name.'),
      }),
      'By name.',
    ),
  },
  names: {
    method: 'POST',
    path: '/api/appliance/v1/rights/names',
    summary: 'Names of people, groups, customers, accounts and devices, as far as the caller may read them',
    access: 'authenticated',
    tenant: 'queryOrClaim',
    body: dto('RightsNamesRequestDto', { ids: z.array(id).max(500).describe('At most 500 ids.') }),
    response: listDto(
      'RightsNamesDto',
      z.object({ id: id.describe('One of the asked ids.'), name: z.string().describe('Its name.') }),
      'Names that the caller may read; unknown and hidden ones are left out alike.',
    ),
  },
  exportChanges: {
    ...changesFile,
    path: '/api/appliance/v1/rights/changes/export',
    summary: 'Every matching change of rights in a tenant, newest first, as CSV with formulas escaped',
    access: {
      permission: 'tenant.authorization-logs.read',
      on: 'tenant',
      orOnServer: 'server.authorization-logs.read',
    },
    tenant: 'queryOrClaim',
  },
  exportServerChanges: {
    ...changesFile,
    path: '/api/appliance/v1/rights/changes/server/export',
    summary: 'Every matching change of rights that belongs to no tenant, newest first, as CSV with formulas escaped',
    access: { permission: 'server.authorization-logs.read', on: 'server' },
    tenant: 'none',
  },
})
