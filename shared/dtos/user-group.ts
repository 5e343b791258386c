import { z } from 'zod'
import { createdAt, dateTime, ownId } from '../contract/fields.ts'
import { userId } from './references.ts'

const group = z.object({
  id: ownId,
  name: z.string().describe('Unique in the tenant, without regard to case.'),
  description: z.string().nullable().describe('Free text of at most 500 characters; null when none was given.'),
  createdAt,
})

/** A set of users who share its rights; a user may be in several. */
export const UserGroupResponseDto = group
  .extend({ memberCount: z.number().int().describe('Number of users in the group.') })
  .meta({ id: 'UserGroupResponseDto' })
export type UserGroupResponseDto = z.output<typeof UserGroupResponseDto>

export const UserGroupMemberResponseDto = z
  .object({
    userId,
    userName: z.string().describe('Name that the user signs in with; an e-mail address for all but external users.'),
    displayName: z.string().nullable().describe('As the user set it; null when unset.'),
    lastLogin: dateTime.nullable().describe('When a logon token last signed the user in; null when none did.'),
  })
  .meta({ id: 'UserGroupMemberResponseDto' })
export type UserGroupMemberResponseDto = z.output<typeof UserGroupMemberResponseDto>

export const UserGroupDetailResponseDto = group
  .extend({ members: z.array(UserGroupMemberResponseDto).describe('Ordered by user name.') })
  .meta({ id: 'UserGroupDetailResponseDto' })
export type UserGroupDetailResponseDto = z.output<typeof UserGroupDetailResponseDto>
