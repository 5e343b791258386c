import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

export const InviteResponseDto = z
  .object({
    id,
    createdAt: dateTime,
    inviteeEmail: z.string(),
    inviteUrl: z.string().meta({
      description: 'The page that accepts the invite. Callers without tenant.users.write see it without its code.',
    }),
  })
  .meta({ id: 'InviteResponseDto' })
export type InviteResponseDto = z.output<typeof InviteResponseDto>
