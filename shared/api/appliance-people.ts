import { z } from 'zod'
import { scopeKinds } from '../access.ts'
import { createdAt, dateTime, dto, id, listDto, ownId } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { InviteResponseDto } from '../dtos/invite.ts'
import { userId } from '../dtos/references.ts'
import { PermissionNames, RoleNameField } from '../dtos/rights.ts'
import { StartDto } from '../dtos/start.ts'
import { email, newPassword } from '../dtos/user.ts'
import { SignInDto } from './appliance-account.ts'
import { mostOf } from '../row-limits.ts'

/** Filters of the list; without one it shows everybody but guests. */
export const peopleFilters = ['disabled', 'invited', 'one-factor', 'guests'] as const
export type PeopleFilter = (typeof peopleFilters)[number]

const heldRoles = {
  roles: z.array(RoleNameField).describe('Roles that the permissions amount to, the largest first.'),
  beyond: z.array(PermissionNames).describe('Permissions beyond these roles.'),
}

const RightsSummaryDto = dto('RightsSummaryDto', {
  ...heldRoles,
  places: z
    .int()
    .nullable()
    .describe('Number of customers, groups and devices where exactly this is held; null: the whole tenant or server.'),
})
export type RightsSummaryDto = z.output<typeof RightsSummaryDto>

const HeldRightsDto = dto('HeldRightsDto', {
  effect: z.enum(['Allow', 'Deny']).describe('A Deny wins over every Allow.'),
  scopeKind: z.enum(scopeKinds).describe('Kind of the place where the rights are held.'),
  scopeId: id.nullable().describe('Id of the place; null for the server.'),
  scopeName: z.string().nullable().describe('Name of the place; null for the server, and if you may not read it.'),
  group: z
    .object({
      id: id.describe('The group.'),
      name: z.string().nullable().describe('Null if you may not read groups.'),
    })
    .nullable()
    .describe('User group that gives the rights; null for rights of the person itself.'),
  isEnabled: z.boolean().describe('Whether the rights count.'),
  ...heldRoles,
  permissions: z.array(PermissionNames).describe('All permissions, by name.'),
})
export type HeldRightsDto = z.output<typeof HeldRightsDto>

const rights = z
  .array(HeldRightsDto)
  .nullable()
  .describe('By place; rights at the server only for those who may read them. Null if you may not read rights.')

const PersonDto = dto('PersonDto', {
  id: ownId,
  userName: z.string().describe('Name that the person signs in with.'),
  email: z.string().describe('Address in lower case.'),
  name: z.string().describe('Name on every page; with the sign-in name beside it if others have the same name.'),
  displayName: z.string().nullable().describe('Name that the person wants to be called by; null if not given.'),
  accountType: z
    .enum(['Interactive', 'Invited', 'External'])
    .describe('Invited: no password chosen yet. External: a guest, who comes through links to one device only.'),
  isEmailConfirmed: z.boolean().describe('Whether the link mailed to the address was opened.'),
  createdAt,
  lastSeenAt: dateTime.nullable().describe('Last sign-in or request; null for none. Lags by up to a minute.'),
  disabledAt: dateTime.nullable().describe('Since when the person is disabled; null if it may sign in.'),
  lockedUntil: dateTime.nullable().describe('Until when wrong passwords or codes keep the person out; null if not.'),
  isTwoFactorEnabled: z.boolean().describe('Whether sign-in by password asks for a code.'),
  isPasswordChangeRequired: z.boolean().describe('Whether the next sign-in asks for a new password.'),
  hasPassword: z.boolean().describe('Whether the person can sign in with a password.'),
  passkeys: z.int().describe('Number of passkeys.'),
  providers: z.array(z.string()).describe('Labels of the identity providers of linked accounts.'),
  summary: z
    .array(RightsSummaryDto)
    .nullable()
    .describe('What the person may do, the widest first. Null if you may not read rights.'),
})
export type PersonDto = z.output<typeof PersonDto>

const PersonDetailDto = PersonDto.extend({
  rights,
  groups: z
    .array(z.object({ id: id.describe('The group.'), name: z.string().describe('Its name.') }))
    .nullable()
    .describe('User groups by name; null if you may not read groups.'),
  beyond: z
    .string()
    .nullable()
    .describe(
      'A permission that the person holds and you do not, so you may not change the account. Null for none, and for those who may change nobody.',
    ),
  goesWith: z
    .object({
      accessTokens: z.int().describe('Access tokens.'),
      signIns: z.int().describe('Browsers and programs that are signed in.'),
      deviceLinks: z.int().describe('Links to devices that nobody has used yet.'),
      groups: z.int().describe('Memberships in user groups.'),
      rights: z.int().describe('Assignments of rights to the person itself.'),
    })
    .describe('What is deleted with the account.'),
}).meta({ id: 'PersonDetailDto' })
export type PersonDetailDto = z.output<typeof PersonDetailDto>

const write = { permission: 'tenant.users.write', on: 'tenant' } as const
const read = { permission: 'tenant.users.read', on: 'tenant' } as const
const params = z.object({ userId })
const beyond = { 403: 'The person holds management permissions that the caller lacks.' }

/** People of a tenant, for those who administer them. */
export const appliancePeople = defineRoutes('People', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/people',
    summary: 'People of the tenant by name, page by page, with factors, ways in and roles',
    access: read,
    tenant: 'queryOrClaim',
    query: z.object({
      text: z.string().max(128).optional().describe('Part of the name, the address or the display name, in any case.'),
      show: z.enum(peopleFilters).optional().describe('Left out: everybody but guests.'),
      groupId: id.optional().describe('Only members of this user group.'),
      skip: z.coerce.number().int().min(0).default(0).describe('Number of people before the page.'),
      take: z.coerce.number().int().min(1).max(200).default(100).describe('Length of the page.'),
    }),
    response: dto('PeoplePageDto', {
      items: z.array(PersonDto).describe('One page.'),
      total: z.int().describe('Number of people that match.'),
      counts: z
        .record(z.enum(['all', ...peopleFilters]), z.int())
        .describe('Number of people by filter, without the text.'),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/appliance/v1/people',
    summary: 'Create a person with roles and groups; without a password, a temporary one is answered',
    problems: {
      403: 'The caller may not give these roles, or add to these groups.',
      409: `The tenant has ${mostOf('people')}.`,
    },
    access: write,
    tenant: 'queryOrClaim',
    body: dto('CreatePersonRequestDto', {
      email: email.describe('Address that the person signs in with; unique on the server.'),
      password: newPassword.optional().describe('Left out: a temporary password is made.'),
      start: StartDto.describe('Roles and groups.'),
    }),
    response: dto('CreatedPersonDto', {
      id: ownId,
      userName: z.string().describe('Name that the person signs in with.'),
      temporaryPassword: z.string().nullable().describe('Shown only here; null with a password.'),
    }),
    status: 201,
    location: '/api/appliance/v1/people/:id',
  },
  invite: {
    method: 'POST',
    path: '/api/appliance/v1/people/invitations',
    summary: 'Invite a person with roles and groups, which count from the acceptance on',
    problems: {
      403: 'The caller may not give these roles, or add to these groups.',
      409: `The tenant has a user or an invitation with this address, or ${mostOf('people')}.`,
      429: 'The tenant has 50 pending invitations, or made 20 within 24 hours.',
    },
    access: write,
    tenant: 'queryOrClaim',
    body: dto('InvitePersonRequestDto', {
      inviteeEmail: email.describe('Address that is invited.'),
      start: StartDto.describe('Roles and groups.'),
    }),
    response: InviteResponseDto,
    status: 201,
    location: '/api/appliance/v1/people',
  },
  get: {
    method: 'GET',
    path: '/api/appliance/v1/people/:userId',
    summary: 'One person with rights and groups, and what a deletion would take along',
    access: read,
    tenant: 'queryOrClaim',
    params,
    response: PersonDetailDto,
  },
  unlock: {
    method: 'POST',
    path: '/api/appliance/v1/people/:userId/unlock',
    summary: 'Let a person who is locked after wrong passwords or codes try again at once',
    problems: beyond,
    access: write,
    tenant: 'queryOrClaim',
    params,
  },
  disable: {
    method: 'POST',
    path: '/api/appliance/v1/people/:userId/disable',
    summary: 'Close every way in: open sign-ins and connections end, tokens and links are rejected; nothing is deleted',
    problems: {
      ...beyond,
      409: 'Nobody else could administer the server or the tenant; or the person has not accepted the invite yet.',
    },
    access: write,
    tenant: 'queryOrClaim',
    params,
  },
  enable: {
    method: 'POST',
    path: '/api/appliance/v1/people/:userId/enable',
    summary: 'Let a disabled person sign in again; their access tokens work again',
    problems: beyond,
    access: write,
    tenant: 'queryOrClaim',
    params,
  },
  signIns: {
    method: 'GET',
    path: '/api/appliance/v1/people/:userId/sign-ins',
    summary: 'Browsers and programs that are signed in as the person',
    problems: beyond,
    access: write,
    tenant: 'queryOrClaim',
    params,
    response: listDto('PersonSignInListDto', SignInDto, 'Most recently used first.'),
  },
  endSignIn: {
    method: 'DELETE',
    path: '/api/appliance/v1/people/:userId/sign-ins/:signInId',
    summary: 'End one sign-in of the person, with its open connections',
    problems: beyond,
    access: write,
    tenant: 'queryOrClaim',
    params: params.extend({ signInId: id.describe('The sign-in, by the `id` of the list.') }),
  },
  endSignIns: {
    method: 'DELETE',
    path: '/api/appliance/v1/people/:userId/sign-ins',
    summary: 'End every sign-in of the person except that of the caller',
    problems: beyond,
    access: write,
    tenant: 'queryOrClaim',
    params,
    response: dto('EndedPersonSignInsDto', { ended: z.int().describe('How many were ended.') }),
  },
  removeOtherWaysIn: {
    method: 'POST',
    path: '/api/appliance/v1/people/:userId/remove-other-ways-in',
    summary: 'Remove the passkeys and linked accounts of the person, who then signs in with the password alone',
    problems: { ...beyond, 409: 'The person has no password: nothing would be left to sign in with.' },
    access: write,
    recentProof: true,
    tenant: 'queryOrClaim',
    params,
    response: dto('RemovedWaysInDto', {
      passkeys: z.int().describe('Number of removed passkeys.'),
      linkedAccounts: z.int().describe('Number of removed links to accounts of identity providers.'),
    }),
  },
  groupRights: {
    method: 'GET',
    path: '/api/appliance/v1/user-groups/:userGroupId/rights',
    summary: 'Rights that a user group gives to its members',
    access: { permission: 'tenant.user-groups.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    params: z.object({ userGroupId: id.describe('The group, by the `id` of `GET /api/v1/user-groups`.') }),
    response: dto('UserGroupRightsDto', { rights }),
  },
})
