import { z } from 'zod'
import { dto, listDto, resourceName } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { tenantId } from '../dtos/references.ts'
import { TenantResponseDto } from '../dtos/tenant.ts'

const params = z.object({ tenantId })
const read = { permission: 'server.tenants.read', on: 'server' } as const
const write = { permission: 'server.tenants.write', on: 'server' } as const

export const tenants = defineRoutes('Tenants', {
  create: {
    method: 'POST',
    path: '/api/v1/tenants',
    summary: 'Create a tenant without anybody in it',
    access: write,
    tenant: 'none',
    body: dto('CreateTenantRequestDto', {
      name: resourceName.describe('1 to 100 characters without control characters; blanks around it are removed.'),
    }),
    response: TenantResponseDto,
    status: 201,
    location: '/api/v1/tenants/:tenantId',
  },
  list: {
    method: 'GET',
    path: '/api/v1/tenants',
    summary: 'Tenants of this server by name',
    access: read,
    tenant: 'none',
    response: listDto('TenantListResponseDto', TenantResponseDto, 'All tenants of the server, by name; not paged.'),
  },
  get: {
    method: 'GET',
    path: '/api/v1/tenants/:tenantId',
    summary: 'One tenant',
    access: read,
    tenant: 'route',
    params,
    response: TenantResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/tenants/:tenantId',
    summary: 'Rename a tenant',
    access: write,
    tenant: 'route',
    params,
    body: dto('UpdateTenantRequestDto', {
      name: resourceName.describe('1 to 100 characters without control characters; blanks around it are removed.'),
    }),
    response: TenantResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/tenants/:tenantId',
    summary: 'Delete a tenant with everything in it: devices, people, groups, keys, rights',
    problems: { 409: 'Nobody else could administer the server.' },
    access: { permission: 'server.tenants.delete', on: 'server' },
    tenant: 'route',
    params,
  },
})
