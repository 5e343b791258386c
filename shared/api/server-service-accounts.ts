import { z } from 'zod'
import { id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { CreateServiceAccountCredentialResponseDto, ServerServiceAccountResponseDto } from '../dtos/service-account.ts'
import {
  CreateServerServiceAccountRequestDto,
  CreateServiceAccountCredentialRequestDto,
  UpdateServiceAccountRequestDto,
} from '../dtos/service-account-requests.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({
  serviceAccountId: id.describe('The account, by the `id` of `GET /api/v1/server-service-accounts`.'),
})
const credentialParams = params.extend({
  credentialId: id.describe('The credential, by its `id` in the account; the hyphenated form, not the one in the key.'),
})

export const serverServiceAccounts = defineRoutes('ServerServiceAccounts', {
  list: {
    method: 'GET',
    path: '/api/v1/server-service-accounts',
    summary: 'Service accounts of the server, by name',
    access: { permission: 'server.service-accounts.read', on: 'server' },
    tenant: 'none',
    response: listDto(
      'ServerServiceAccountListResponseDto',
      ServerServiceAccountResponseDto,
      'All service accounts of the server, by name; not paged.',
    ),
  },
  get: {
    method: 'GET',
    path: '/api/v1/server-service-accounts/:serviceAccountId',
    summary: 'One service account of the server',
    access: { permission: 'server.service-accounts.read', on: 'server' },
    tenant: 'none',
    params,
    response: ServerServiceAccountResponseDto,
  },
  create: {
    method: 'POST',
    path: '/api/v1/server-service-accounts',
    summary: 'Create a service account of the server; it has no credentials yet',
    problems: {
      409: `Another service account of the server has the name, or the server has ${mostOf('service accounts')}.`,
    },
    access: { permission: 'server.service-accounts.write', on: 'server' },
    tenant: 'none',
    body: CreateServerServiceAccountRequestDto,
    response: ServerServiceAccountResponseDto,
    status: 201,
    location: '/api/v1/server-service-accounts/:id',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/server-service-accounts/:serviceAccountId',
    summary: 'Replace name and description, enable or disable; the access mode stays',
    problems: {
      409: 'Another service account of the server has the name, or nobody else could administer the server.',
    },
    access: { permission: 'server.service-accounts.write', on: 'server' },
    tenant: 'none',
    params,
    body: UpdateServiceAccountRequestDto,
    response: ServerServiceAccountResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/server-service-accounts/:serviceAccountId',
    summary: 'Delete a service account with its credentials and permission assignments; not the calling one',
    problems: {
      403: 'The permission is missing, or it is the calling account.',
      409: 'Nobody else could administer the server.',
    },
    access: { permission: 'server.service-accounts.write', on: 'server' },
    tenant: 'none',
    params,
  },
  createCredential: {
    method: 'POST',
    path: '/api/v1/server-service-accounts/:serviceAccountId/credentials',
    summary: 'Create a credential of an enabled account; its key is shown only here',
    problems: {
      403: 'The permission is missing, or the account is disabled.',
      409: `The limit is reached: ${mostOf('valid keys of a service account')}.`,
    },
    access: { permission: 'server.service-accounts.rotate-credentials', on: 'server' },
    recentProof: true,
    tenant: 'none',
    params,
    body: CreateServiceAccountCredentialRequestDto,
    response: CreateServiceAccountCredentialResponseDto,
  },
  revokeCredential: {
    method: 'DELETE',
    path: '/api/v1/server-service-accounts/:serviceAccountId/credentials/:credentialId',
    summary: 'Revoke a credential; it stays in the list, and revoking it again changes nothing',
    access: { permission: 'server.service-accounts.rotate-credentials', on: 'server' },
    tenant: 'none',
    params: credentialParams,
  },
  purgeCredential: {
    method: 'DELETE',
    path: '/api/v1/server-service-accounts/:serviceAccountId/credentials/:credentialId/purge',
    summary: 'Delete a revoked or expired credential for good',
    access: { permission: 'server.service-accounts.rotate-credentials', on: 'server' },
    tenant: 'none',
    params: credentialParams,
  },
})
