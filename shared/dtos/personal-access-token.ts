import { z } from 'zod'
import { permissions } from '../access.ts'
import { dateTime, id, nameEnum } from '../contract/fields.ts'
import { ScopeKind } from './permission-assignment.ts'

export const PersonalAccessTokenMode = nameEnum('PersonalAccessTokenMode', { Restricted: 0, InheritOwner: 1 })
export type PersonalAccessTokenMode = z.output<typeof PersonalAccessTokenMode>

/** A token that acts as its owner, without its secret. */
export const PersonalAccessTokenResponseDto = z
  .object({
    id,
    name: z.string(),
    createdAt: dateTime,
    lastUsed: dateTime.nullable(),
    permissionMode: PersonalAccessTokenMode.meta({
      description: 'InheritOwner: whatever its owner may do. Restricted: of that, only what it was given itself.',
    }),
    permissionCount: z.number().int().meta({ description: 'Permission assignments of the token itself.' }),
  })
  .meta({ id: 'PersonalAccessTokenResponseDto' })
export type PersonalAccessTokenResponseDto = z.output<typeof PersonalAccessTokenResponseDto>

export const PersonalAccessTokenListResponseDto = z
  .object({ items: z.array(PersonalAccessTokenResponseDto).meta({ description: 'Newest first.' }) })
  .meta({ id: 'PersonalAccessTokenListResponseDto' })

/** A new token; it is shown only here. */
export const CreatePersonalAccessTokenResponseDto = z
  .object({
    personalAccessToken: PersonalAccessTokenResponseDto,
    plainTextToken: z
      .string()
      .meta({ description: 'The whole value of the `x-personal-token` header. It cannot be read again.' }),
  })
  .meta({ id: 'CreatePersonalAccessTokenResponseDto' })

const name = z.string().trim().min(1, 'must not be blank').max(256)

const PersonalAccessTokenScopeDto = z
  .object({
    permissionName: z.enum([...permissions.keys()], 'must be the name of a permission'),
    scopeKind: ScopeKind,
    scopeId: id.nullish().meta({ description: 'Left out for the server and for the tenant.' }),
  })
  .meta({ id: 'PersonalAccessTokenScopeDto' })
export type PersonalAccessTokenScopeDto = z.output<typeof PersonalAccessTokenScopeDto>

export const CreatePersonalAccessTokenRequestDto = z
  .object({
    name,
    permissionMode: PersonalAccessTokenMode.nullish().meta({
      description: 'Left out: Restricted with a list of scopes, also an empty one; else InheritOwner.',
    }),
    scopes: z
      .array(PersonalAccessTokenScopeDto)
      .max(1000)
      .nullish()
      .meta({ description: 'What a Restricted token may do. Its owner must hold each of them.' }),
  })
  .refine(({ permissionMode, scopes }) => permissionMode !== 'InheritOwner' || !scopes?.length, {
    path: ['scopes'],
    message: 'mean something only with the permissionMode Restricted',
  })
  .meta({ id: 'CreatePersonalAccessTokenRequestDto' })
export type CreatePersonalAccessTokenRequestDto = z.output<typeof CreatePersonalAccessTokenRequestDto>

export const UpdatePersonalAccessTokenRequestDto = z
  .object({ name })
  .meta({ id: 'UpdatePersonalAccessTokenRequestDto' })
