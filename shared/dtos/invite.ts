import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

export const InviteResponseDto = z
  .object({
    id,
    createdAt: dateTime,
    inviteeEmail: z.string(),
    inviteUrl: z.string().meta({
      description: 'The page that accepts the invite; with its code only where the invite is made.',
    }),
  })
  .meta({ id: 'InviteResponseDto' })
export type InviteResponseDto = z.output<typeof InviteResponseDto>
