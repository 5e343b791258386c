import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { passwordText } from '../dtos/user.ts'

const AcceptInviteRequestDto = dto('AcceptInviteRequestDto', {
  activationCode: z.string().min(1).max(1000).describe('Code from the link of the invite; valid once.'),
  email: z.string().trim().toLowerCase().min(1).max(256).describe('Address that was invited; case does not count.'),
  password: z.string().max(1000).describe(`${passwordText}.`),
})
export type AcceptInviteRequestDto = z.output<typeof AcceptInviteRequestDto>

export const AcceptInviteResponseDto = dto('AcceptInviteResponseDto', {
  isSuccessful: z.boolean().describe('Whether the account was made and signed in.'),
  errorMessage: z.string().nullable().describe('Why not, in a sentence for people; null on success.'),
})

export const inviteAcceptance = defineRoutes('InviteAcceptance', {
  accept: {
    method: 'POST',
    path: '/api/invites/accept',
    summary: 'Accept an invite with a password of one’s own, and sign in; a failure is answered 200 too',
    access: 'anonymous',
    tenant: 'none',
    body: AcceptInviteRequestDto,
    response: AcceptInviteResponseDto,
    limitedAttempts: 'all',
  },
})
