import { z } from 'zod'
import { type PresetName, presets } from '../access.ts'
import { dto, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { userId } from '../dtos/references.ts'
import { email, newPassword, UserResponseDto } from '../dtos/user.ts'
import { mostOf } from '../row-limits.ts'

const write = { permission: 'tenant.users.write', on: 'tenant' } as const
const params = z.object({ userId })

export const CreateUserRequestDto = z
  .object({
    userName: z
      .string()
      .trim()
      .min(1)
      .max(256)
      .describe('1 to 256 characters; an e-mail address unless `email` is given.'),
    email: email.nullish().describe('Name and address of the account; the user name unless given.'),
    password: newPassword.nullish().describe('Without one, nobody can sign in until it is reset.'),
    presetNames: z
      .array(z.enum(Object.keys(presets) as PresetName[]))
      .max(100)
      .default([])
      .describe('Bundles of permissions to give, besides Self Service.'),
  })
  .refine((user) => user.email != null || email.safeParse(user.userName).success, {
    path: ['userName'],
    message: 'must be an e-mail address, unless email is one',
  })
  .meta({ id: 'CreateUserRequestDto' })
export type CreateUserRequestDto = z.output<typeof CreateUserRequestDto>

export const users = defineRoutes('Users', {
  create: {
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Create a user of the tenant, with initial permissions',
    problems: { 409: `The tenant has ${mostOf('people')}.` },
    access: write,
    tenant: 'query',
    body: CreateUserRequestDto,
    response: UserResponseDto,
    status: 201,
    location: '/api/v1/users',
  },
  list: {
    method: 'GET',
    path: '/api/v1/users',
    summary: 'Users of the tenant by name, external ones among them',
    access: { permission: 'tenant.users.read', on: 'tenant' },
    tenant: 'query',
    response: listDto('UserListResponseDto', UserResponseDto, 'All users of the tenant, by name; not paged.'),
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/users/:userId',
    summary: 'Delete a user with everything that is theirs; their sessions and tokens end at once',
    problems: { 409: 'Nobody else could administer the server.' },
    access: { permission: 'tenant.users.delete', on: 'tenant' },
    tenant: 'query',
    params,
  },
  resetPassword: {
    method: 'POST',
    path: '/api/v1/users/:userId/reset-password',
    summary: 'Replace a password by a temporary one, which its user has to change; their sessions end',
    problems: { 409: 'The user has not accepted the invite yet.' },
    access: write,
    recentProof: true,
    tenant: 'query',
    params,
    response: dto('ResetPasswordResponseDto', {
      temporaryPassword: z
        .string()
        .describe('Password for the next sign-in, which asks for a new one. Shown in this answer only.'),
    }),
  },
})
