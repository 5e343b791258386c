import { z } from 'zod'
import { permissions } from '../access.ts'
import { createdAt, dateTime, dto, id, nameEnum, ownId } from '../contract/fields.ts'
import { rowLimits } from '../row-limits.ts'
import { ScopeKind } from './permission-assignment.ts'

export const PersonalAccessTokenMode = nameEnum('PersonalAccessTokenMode', { Restricted: 0, InheritOwner: 1 })
export type PersonalAccessTokenMode = z.output<typeof PersonalAccessTokenMode>

/** A token that acts as its owner, without its secret. */
export const PersonalAccessTokenResponseDto = dto('PersonalAccessTokenResponseDto', {
  id: ownId,
  name: z.string().describe('Label of 1 to 256 characters for people; need not be unique.'),
  createdAt,
  lastUsed: dateTime.nullable().describe('Last request that the token authenticated; null before the first.'),
  permissionMode: PersonalAccessTokenMode.describe(
    'InheritOwner: whatever its owner may do. Restricted: of that, only what it was given itself.',
  ),
  permissionCount: z.number().int().describe('Permission assignments of the token itself.'),
})
export type PersonalAccessTokenResponseDto = z.output<typeof PersonalAccessTokenResponseDto>

export const PersonalAccessTokenListResponseDto = dto('PersonalAccessTokenListResponseDto', {
  items: z.array(PersonalAccessTokenResponseDto).describe('Newest first.'),
})

/** A new token, which is returned only once. */
export const CreatePersonalAccessTokenResponseDto = dto('CreatePersonalAccessTokenResponseDto', {
  personalAccessToken: PersonalAccessTokenResponseDto.describe('The token as lists show it from now on.'),
  plainTextToken: z.string().describe('The whole value of the `x-personal-token` header. It cannot be read again.'),
})

const name = z.string().trim().min(1, 'must not be blank').max(256)

const PersonalAccessTokenScopeDto = dto('PersonalAccessTokenScopeDto', {
  permissionName: z
    .enum([...permissions.keys()], 'must be the name of a permission')
    .describe('A `name` of `GET /api/v1/permission-assignments/catalog`.'),
  scopeKind: ScopeKind.describe(
    'Kind of thing that the permission reaches; must be among the `allowedScopeKinds` of the permission.',
  ),
  scopeId: id.nullish().describe('Left out for the server and for the tenant.'),
})
export type PersonalAccessTokenScopeDto = z.output<typeof PersonalAccessTokenScopeDto>

export const CreatePersonalAccessTokenRequestDto = z
  .object({
    name: name.describe('Label of 1 to 256 characters for people; need not be unique.'),
    permissionMode: PersonalAccessTokenMode.nullish().describe(
      'Left out: Restricted with a list of scopes, also an empty one; else InheritOwner.',
    ),
    scopes: z
      .array(PersonalAccessTokenScopeDto)
      .max(rowLimits['scopes of an access token'])
      .nullish()
      .describe('What a Restricted token may do. Its owner must hold each of them.'),
  })
  .refine(({ permissionMode, scopes }) => permissionMode !== 'InheritOwner' || !scopes?.length, {
    path: ['scopes'],
    message: 'mean something only with the permissionMode Restricted',
  })
  .meta({ id: 'CreatePersonalAccessTokenRequestDto' })
export type CreatePersonalAccessTokenRequestDto = z.output<typeof CreatePersonalAccessTokenRequestDto>

export const UpdatePersonalAccessTokenRequestDto = dto('UpdatePersonalAccessTokenRequestDto', {
  name: name.describe('New label of 1 to 256 characters.'),
})
