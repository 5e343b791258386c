import { z } from 'zod'
import { dateTime, ownId } from '../contract/fields.ts'

export const InviteResponseDto = z
  .object({
    id: ownId,
    createdAt: dateTime.describe('When the invite was made; it expires 7 days later.'),
    inviteeEmail: z.string().describe('Address that the invited person registers with, in lower case.'),
    inviteUrl: z.string().describe('The page that accepts the invite; with its code only where the invite is made.'),
    inviteUrlNotice: z
      .string()
      .optional()
      .describe('What to do first where `inviteUrl` opens on the computer of the server only; missing otherwise.'),
  })
  .meta({ id: 'InviteResponseDto' })
export type InviteResponseDto = z.output<typeof InviteResponseDto>
