import { z } from 'zod'
import { dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  PermissionAssignmentResponseDto,
  PermissionCatalogEntryDto,
  PermissionEffect,
  PermissionPresetDto,
  PresetNameField,
  PrincipalKind,
  ScopeKind,
} from '../dtos/permission-assignment.ts'
import { mostOf } from '../row-limits.ts'

const maxRows = 1000

const principal = z.object({
  principalKind: PrincipalKind.describe('Kind of principal that `principalId` names.'),
  principalId: id.describe('User, user group, service account or token that gets the permission.'),
})

const rule = z.object({
  permissionName: z
    .string()
    .trim()
    .min(1)
    .max(150)
    .describe('A `name` of `GET /api/v1/permission-assignments/catalog`.'),
  effect: PermissionEffect.default('Allow').describe(
    '`Allow`, or `Deny`, which overrides every allow that reaches the same thing.',
  ),
  scopeKind: ScopeKind.describe(
    'Kind of thing that the permission reaches; must be among the `allowedScopeKinds` of the permission.',
  ),
  scopeId: id.nullish().describe('Null for Server; the tenant of the request for Tenant; required for the others.'),
  notes: z.string().trim().max(500).nullish().describe('Free text of at most 500 characters; null or left out: none.'),
  isEnabled: z.boolean().default(true).describe('False: stored, and ignored when rights are decided.'),
})

export const UpdatePermissionAssignmentRequestDto = rule.meta({ id: 'UpdatePermissionAssignmentRequestDto' })
export type UpdatePermissionAssignmentRequestDto = z.output<typeof UpdatePermissionAssignmentRequestDto>

export const CreatePermissionAssignmentRequestDto = principal
  .extend(rule.shape)
  .meta({ id: 'CreatePermissionAssignmentRequestDto' })
export type CreatePermissionAssignmentRequestDto = z.output<typeof CreatePermissionAssignmentRequestDto>

export const CreatePermissionAssignmentBatchRequestDto = dto('CreatePermissionAssignmentBatchRequestDto', {
  assignments: z
    .array(CreatePermissionAssignmentRequestDto)
    .min(1)
    .max(maxRows)
    .refine(
      (rows) => new Set(rows.map(({ principalKind, principalId }) => `${principalKind} ${principalId}`)).size <= 1,
      'must all be for one principal',
    )
    .describe('1 to 1,000 assignments, all for one principal.'),
})

export const ReplacePermissionAssignmentsRequestDto = principal
  .extend({
    assignments: z
      .array(UpdatePermissionAssignmentRequestDto)
      .min(1)
      .max(maxRows)
      .describe('1 to 1,000 assignments; replace those of the principal at the scope kinds that occur here.'),
  })
  .meta({ id: 'ReplacePermissionAssignmentsRequestDto' })
export type ReplacePermissionAssignmentsRequestDto = z.output<typeof ReplacePermissionAssignmentsRequestDto>

export const ApplyPresetsRequestDto = principal
  .extend({
    presetNames: z
      .array(PresetNameField)
      .min(1)
      .max(100)
      .describe('1 to 100 names of `GET /api/v1/permission-assignments/presets`; case does not count.'),
    replaceExisting: z
      .boolean()
      .default(false)
      .describe('Also removes what the principal has beyond these presets, at the scope kinds that they use.'),
  })
  .meta({ id: 'ApplyPresetsRequestDto' })
export type ApplyPresetsRequestDto = z.output<typeof ApplyPresetsRequestDto>

const params = z.object({
  assignmentId: id.describe('The assignment, by the `id` of `GET /api/v1/permission-assignments`.'),
})
const reading = { access: { permission: 'tenant.permissions.read', on: 'tenant' }, tenant: 'query' } as const
const writing = { access: { permission: 'tenant.permissions.write', on: 'tenant' }, tenant: 'query' } as const
const isFull = `would exceed the limit: ${mostOf('assignments of a principal')}`

export const permissionAssignments = defineRoutes('PermissionAssignments', {
  list: {
    method: 'GET',
    path: '/api/v1/permission-assignments',
    summary: 'What one principal is given or denied; rows at the server only for those who may see them',
    ...reading,
    query: principal,
    response: listDto(
      'PermissionAssignmentListResponseDto',
      PermissionAssignmentResponseDto,
      'All assignments of the principal; not paged.',
    ),
  },
  catalog: {
    method: 'GET',
    path: '/api/v1/permission-assignments/catalog',
    summary: 'Every permission, with its meaning and the scopes that it can be given at',
    ...reading,
    response: listDto(
      'PermissionCatalogResponseDto',
      PermissionCatalogEntryDto,
      'All permissions; the list is the same for every caller.',
    ),
  },
  presets: {
    method: 'GET',
    path: '/api/v1/permission-assignments/presets',
    summary: 'Bundles of permissions that are given together',
    ...reading,
    response: listDto(
      'PermissionPresetListResponseDto',
      PermissionPresetDto,
      'All presets; the list is the same for every caller.',
    ),
  },
  create: {
    method: 'POST',
    path: '/api/v1/permission-assignments',
    summary: 'Give or deny one permission',
    problems: { 409: `The same assignment exists, or it ${isFull}.` },
    ...writing,
    body: CreatePermissionAssignmentRequestDto,
    response: PermissionAssignmentResponseDto,
    status: 201,
    location: '/api/v1/permission-assignments?principalKind=:principalKind&principalId=:principalId',
  },
  createBatch: {
    method: 'POST',
    path: '/api/v1/permission-assignments/batch',
    summary: 'Give or deny one principal several permissions: all of them or none',
    problems: { 409: `One of them exists, is named twice, or ${isFull}.` },
    ...writing,
    body: CreatePermissionAssignmentBatchRequestDto,
  },
  deleteBatch: {
    method: 'POST',
    path: '/api/v1/permission-assignments/batch-delete',
    summary: 'Delete several assignments; what is unknown, or not for the caller to delete, is listed as failed',
    ...writing,
    body: dto('DeletePermissionAssignmentsRequestDto', {
      assignmentIds: z.array(id).min(1).max(maxRows).describe('1 to 1,000 assignments.'),
    }),
    response: dto('DeletePermissionAssignmentsResponseDto', {
      successIds: z.array(id).describe('Assignments that were deleted.'),
      failureIds: z.array(id).describe("Assignments that are unknown, or not the caller's to delete."),
    }),
  },
  applyPresets: {
    method: 'POST',
    path: '/api/v1/permission-assignments/presets/apply',
    summary: 'Give a principal every permission of some presets; answers the number of new assignments',
    problems: { 409: `One of them ${isFull}.` },
    ...writing,
    body: ApplyPresetsRequestDto,
    response: z.number().int(),
  },
  replace: {
    method: 'POST',
    path: '/api/v1/permission-assignments/replace',
    summary: 'Replace the assignments of a principal at the scope kinds that occur in the new ones',
    problems: { 409: `One of them is named twice, or ${isFull}.` },
    ...writing,
    body: ReplacePermissionAssignmentsRequestDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/permission-assignments/:assignmentId',
    summary: 'Change an assignment; its principal stays',
    problems: { 409: 'The same assignment exists.' },
    ...writing,
    params,
    body: UpdatePermissionAssignmentRequestDto,
    response: PermissionAssignmentResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/permission-assignments/:assignmentId',
    summary: 'Delete an assignment',
    ...writing,
    params,
  },
})
