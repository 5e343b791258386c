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
import { userId } from '../dtos/references.ts'
import { mostOf } from '../row-limits.ts'

const userParams = z.object({ userId })
const params = userParams.extend({ tokenId: id.describe("The token, by the `id` in the list of the user's tokens.") })

/** Tokens of any user of the tenant. */
export const userPersonalAccessTokens = defineRoutes('UserPersonalAccessTokens', {
  create: {
    method: 'POST',
    path: '/api/v1/users/:userId/personal-access-tokens',
    summary: 'Create a token for a user; it is shown only here',
    problems: { 409: `The limit is reached: ${mostOf('valid access tokens of a person')}.` },
    access: { permission: 'personal-access-token.others.write', on: 'tenant' },
    recentProof: true,
    tenant: 'query',
    params: userParams,
    body: CreatePersonalAccessTokenRequestDto,
    response: CreatePersonalAccessTokenResponseDto,
    status: 201,
    location: '/api/v1/users/:userId/personal-access-tokens',
  },
  list: {
    method: 'GET',
    path: '/api/v1/users/:userId/personal-access-tokens',
    summary: 'Tokens of a user',
    access: { permission: 'personal-access-token.others.read', on: 'tenant' },
    tenant: 'query',
    params: userParams,
    response: PersonalAccessTokenListResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/users/:userId/personal-access-tokens/:tokenId',
    summary: 'Rename a token of a user',
    access: { permission: 'personal-access-token.others.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: UpdatePersonalAccessTokenRequestDto,
    response: PersonalAccessTokenResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/users/:userId/personal-access-tokens/:tokenId',
    summary: 'Delete a token of a user; it stops working at once',
    access: { permission: 'personal-access-token.others.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
})
