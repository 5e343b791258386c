import { z } from 'zod'
import { dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { inviteDays, InviteResponseDto } from '../dtos/invite.ts'
import { email } from '../dtos/user.ts'
import { mostOf } from '../row-limits.ts'

const write = { permission: 'tenant.users.write', on: 'tenant' } as const

export const invites = defineRoutes('Invites', {
  create: {
    method: 'POST',
    path: '/api/v1/invites',
    summary: `Invite somebody into the tenant for ${inviteDays} days; pass the link on, which is shown only here, no mail is sent`,
    problems: {
      409: `The person has an invite of the tenant, or is one of its users; or the tenant has ${mostOf('people')}.`,
      429: 'The tenant has 50 pending invites, or made 20 within 24 hours.',
    },
    access: write,
    tenant: 'query',
    body: dto('CreateInviteRequestDto', {
      inviteeEmail: email.describe('Address that the invited person will sign in with; no mail is sent to it.'),
    }),
    response: InviteResponseDto,
    status: 201,
    location: '/api/v1/invites',
  },
  list: {
    method: 'GET',
    path: '/api/v1/invites',
    summary: 'Invites that nobody has accepted yet, oldest first',
    access: { permission: 'tenant.users.read', on: 'tenant' },
    tenant: 'query',
    response: listDto(
      'InviteListResponseDto',
      InviteResponseDto,
      'Invites that nobody has accepted yet, oldest first; not paged.',
    ),
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/invites/:inviteId',
    summary: 'Withdraw an invite',
    access: write,
    tenant: 'query',
    params: z.object({ inviteId: id.describe('The invite, by the `id` of `GET /api/v1/invites`.') }),
  },
})
