import { z } from 'zod'
import { dateTime, dto, textOrNull } from '../contract/fields.ts'
import { groupFields } from './group.ts'
import { userId } from './references.ts'

/** A set of users who share its rights; a user may be in several. */
export const UserGroupResponseDto = dto('UserGroupResponseDto', {
  ...groupFields,
  memberCount: z.number().int().describe('Number of users in the group.'),
})
export type UserGroupResponseDto = z.output<typeof UserGroupResponseDto>

export const UserGroupMemberResponseDto = dto('UserGroupMemberResponseDto', {
  userId,
  userName: z.string().describe('Name that the user signs in with; an e-mail address for all but external users.'),
  displayName: textOrNull.describe('As the user set it; null when unset.'),
  lastLogin: dateTime.nullable().describe('When a logon token last signed the user in; null when none did.'),
})
export type UserGroupMemberResponseDto = z.output<typeof UserGroupMemberResponseDto>

export const UserGroupDetailResponseDto = dto('UserGroupDetailResponseDto', {
  ...groupFields,
  members: z.array(UserGroupMemberResponseDto).describe('Ordered by user name.'),
})
export type UserGroupDetailResponseDto = z.output<typeof UserGroupDetailResponseDto>
