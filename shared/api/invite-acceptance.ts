import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'

const AcceptInviteRequestDto = z
  .object({
    activationCode: z.string().min(1).max(1000),
    email: z.string().trim().toLowerCase().min(1).max(256),
    password: z.string().max(1000),
  })
  .meta({ id: 'AcceptInviteRequestDto' })
export type AcceptInviteRequestDto = z.output<typeof AcceptInviteRequestDto>

export const inviteAcceptance = defineRoutes('InviteAcceptance', {
  accept: {
    method: 'POST',
    path: '/api/invites/accept',
    summary: 'Accept an invite with a password of one’s own, and sign in; a failure is answered 200 too',
    access: 'anonymous',
    tenant: 'none',
    body: AcceptInviteRequestDto,
    response: z
      .object({ isSuccessful: z.boolean(), errorMessage: z.string().nullable() })
      .meta({ id: 'AcceptInviteResponseDto' }),
    limitedAttempts: 'all',
  },
})
