import { z } from 'zod'
import { dto, listDto, queryFlag } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { tagId } from '../dtos/references.ts'
import { TagResponseDto, TagType } from '../dtos/tag.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({ tagId })
const name = z
  .string()
  .min(1)
  .max(50, { abort: true })
  .regex(/^[a-z0-9-]+$/, 'may hold lower-case letters a to z, digits and hyphens only')
  .describe('1 to 50 lower-case letters a to z, digits and hyphens; unique in the tenant.')

export const tags = defineRoutes('Tags', {
  list: {
    method: 'GET',
    path: '/api/v1/tags',
    summary: 'Tags of a tenant, by name',
    access: 'authenticated',
    tenant: 'query',
    query: z.object({
      includeLinkedIds: queryFlag.default(false).describe('Whether to fill `deviceIds`.'),
    }),
    response: listDto('TagListResponseDto', TagResponseDto, 'All tags of the tenant, by name; not paged.'),
  },
  get: {
    method: 'GET',
    path: '/api/v1/tags/:tagId',
    summary: 'One tag with its devices',
    access: 'authenticated',
    tenant: 'query',
    params,
    response: TagResponseDto,
  },
  create: {
    method: 'POST',
    path: '/api/v1/tags',
    summary: 'Create a tag',
    access: { permission: 'tenant.tags.write', on: 'tenant' },
    tenant: 'query',
    body: dto('CreateTagRequestDto', {
      name,
      type: TagType.default('Unknown').describe('Stored as given; gives no rights.'),
    }),
    response: TagResponseDto,
    status: 201,
    location: '/api/v1/tags/:id',
    problems: { 409: `Another tag of the tenant has the name, or the tenant has ${mostOf('tags')}.` },
  },
  rename: {
    method: 'PUT',
    path: '/api/v1/tags/:tagId',
    summary: 'Rename a tag',
    access: { permission: 'tenant.tags.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: dto('RenameTagRequestDto', { name }),
    response: TagResponseDto,
    problems: { 409: 'Another tag of the tenant has the name.' },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/tags/:tagId',
    summary: 'Delete a tag and take it off its devices',
    access: { permission: 'tenant.tags.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
})
