import { z } from 'zod'
import { dateTime, dto, ownId } from '../contract/fields.ts'

/** Days for which an invitation can be accepted. */
export const inviteDays = 7

export const InviteResponseDto = dto('InviteResponseDto', {
  id: ownId,
  createdAt: dateTime.describe(`When the invite was made; it expires ${inviteDays} days later.`),
  inviteeEmail: z.string().describe('Address that the invited person registers with, in lower case.'),
  inviteUrl: z.string().describe('The page that accepts the invite; with its code only where the invite is made.'),
  inviteUrlNotice: z
    .string()
    .optional()
    .describe('What to do first where `inviteUrl` opens on the computer of the server only; missing otherwise.'),
})
export type InviteResponseDto = z.output<typeof InviteResponseDto>
