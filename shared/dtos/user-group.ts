import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

const group = z.object({ id, name: z.string(), description: z.string().nullable(), createdAt: dateTime })

/** A set of users who share its rights; a user may be in many. */
export const UserGroupResponseDto = group.extend({ memberCount: z.number().int() }).meta({ id: 'UserGroupResponseDto' })
export type UserGroupResponseDto = z.output<typeof UserGroupResponseDto>

export const UserGroupMemberResponseDto = z
  .object({
    userId: id,
    userName: z.string(),
    displayName: z.string().nullable().meta({ description: 'As the user set it; null when unset.' }),
    lastLogin: dateTime.nullable(),
  })
  .meta({ id: 'UserGroupMemberResponseDto' })
export type UserGroupMemberResponseDto = z.output<typeof UserGroupMemberResponseDto>

export const UserGroupDetailResponseDto = group
  .extend({ members: z.array(UserGroupMemberResponseDto).meta({ description: 'Ordered by user name.' }) })
  .meta({ id: 'UserGroupDetailResponseDto' })
export type UserGroupDetailResponseDto = z.output<typeof UserGroupDetailResponseDto>
