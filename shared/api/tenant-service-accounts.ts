import { z } from 'zod'
import { id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { tenantId } from '../dtos/references.ts'
import { CreateServiceAccountCredentialResponseDto, TenantServiceAccountResponseDto } from '../dtos/service-account.ts'
import {
  CreateServiceAccountCredentialRequestDto,
  CreateTenantServiceAccountRequestDto,
  UpdateServiceAccountRequestDto,
} from '../dtos/service-account-requests.ts'
import { mostOf } from '../row-limits.ts'

const tenantParams = z.object({ tenantId })
const params = tenantParams.extend({
  serviceAccountId: id.describe('The account, by the `id` of `GET /api/v1/tenant-service-accounts/{tenantId}`.'),
})
const credentialParams = params.extend({
  credentialId: id.describe('The credential, by its `id` in the account; the hyphenated form, not the one in the key.'),
})

export const tenantServiceAccounts = defineRoutes('TenantServiceAccounts', {
  create: {
    method: 'POST',
    path: '/api/v1/tenant-service-accounts/:tenantId',
    summary: 'Create a service account of a tenant; it has no credentials yet',
    problems: {
      409: `Another service account of the tenant has the name, or the tenant has ${mostOf('service accounts')}.`,
    },
    access: { permission: 'service-account.write', on: 'tenant' },
    tenant: 'route',
    params: tenantParams,
    body: CreateTenantServiceAccountRequestDto,
    response: TenantServiceAccountResponseDto,
    status: 201,
    location: '/api/v1/tenant-service-accounts/:tenantId/:id',
  },
  list: {
    method: 'GET',
    path: '/api/v1/tenant-service-accounts/:tenantId',
    summary: 'Service accounts of a tenant, by name',
    access: { permission: 'service-account.read', on: 'tenant' },
    tenant: 'route',
    params: tenantParams,
    response: listDto(
      'TenantServiceAccountListResponseDto',
      TenantServiceAccountResponseDto,
      'All service accounts of the tenant, by name; not paged.',
    ),
  },
  get: {
    method: 'GET',
    path: '/api/v1/tenant-service-accounts/:tenantId/:serviceAccountId',
    summary: 'One service account of a tenant',
    access: { permission: 'service-account.read', on: 'tenant' },
    tenant: 'route',
    params,
    response: TenantServiceAccountResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/tenant-service-accounts/:tenantId/:serviceAccountId',
    summary: 'Replace name and description, enable or disable',
    problems: { 409: 'Another service account of the tenant has the name.' },
    access: { permission: 'service-account.write', on: 'tenant' },
    tenant: 'route',
    params,
    body: UpdateServiceAccountRequestDto,
    response: TenantServiceAccountResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/tenant-service-accounts/:tenantId/:serviceAccountId',
    summary: 'Delete a service account with its credentials and permission assignments; not the calling one',
    access: { permission: 'service-account.write', on: 'tenant' },
    tenant: 'route',
    params,
  },
  createCredential: {
    method: 'POST',
    path: '/api/v1/tenant-service-accounts/:tenantId/:serviceAccountId/credentials',
    summary: 'Create a credential of an enabled account; its key is shown only here',
    problems: { 409: `The limit is reached: ${mostOf('valid keys of a service account')}.` },
    access: { permission: 'service-account.rotate-credentials', on: 'tenant' },
    recentProof: true,
    tenant: 'route',
    params,
    body: CreateServiceAccountCredentialRequestDto,
    response: CreateServiceAccountCredentialResponseDto,
  },
  revokeCredential: {
    method: 'DELETE',
    path: '/api/v1/tenant-service-accounts/:tenantId/:serviceAccountId/credentials/:credentialId',
    summary: 'Revoke a credential; it stays in the list, and revoking it again changes nothing',
    access: { permission: 'service-account.rotate-credentials', on: 'tenant' },
    tenant: 'route',
    params: credentialParams,
  },
  purgeCredential: {
    method: 'DELETE',
    path: '/api/v1/tenant-service-accounts/:tenantId/:serviceAccountId/credentials/:credentialId/purge',
    summary: 'Delete a revoked or expired credential for good',
    access: { permission: 'service-account.rotate-credentials', on: 'tenant' },
    tenant: 'route',
    params: credentialParams,
  },
})
