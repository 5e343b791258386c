import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  CreatePersonalAccessTokenRequestDto,
  CreatePersonalAccessTokenResponseDto,
  PersonalAccessTokenListResponseDto,
  PersonalAccessTokenResponseDto,
  UpdatePersonalAccessTokenRequestDto,
} from '../dtos/personal-access-token.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({ id: id.describe('The token, by the `id` of `GET /api/v1/personal-access-tokens`.') })

/** Tokens of the calling principal. */
export const personalAccessTokens = defineRoutes('PersonalAccessTokens', {
  create: {
    method: 'POST',
    path: '/api/v1/personal-access-tokens',
    summary: 'Create a token of your own; it is shown only here',
    problems: { 409: `The limit is reached: ${mostOf('valid access tokens of a person')}.` },
    access: { permission: 'personal-access-token.self.write', on: 'tenant' },
    recentProof: true,
    tenant: 'query',
    body: CreatePersonalAccessTokenRequestDto,
    response: CreatePersonalAccessTokenResponseDto,
    status: 201,
    location: '/api/v1/personal-access-tokens',
  },
  list: {
    method: 'GET',
    path: '/api/v1/personal-access-tokens',
    summary: 'Your own tokens',
    access: { permission: 'personal-access-token.self.read', on: 'tenant' },
    tenant: 'query',
    response: PersonalAccessTokenListResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/personal-access-tokens/:id',
    summary: 'Rename a token of your own',
    access: { permission: 'personal-access-token.self.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: UpdatePersonalAccessTokenRequestDto,
    response: PersonalAccessTokenResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/personal-access-tokens/:id',
    summary: 'Delete a token of your own; it stops working at once',
    access: { permission: 'personal-access-token.self.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
})
