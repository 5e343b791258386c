import { z } from 'zod'
import { dto, id, ids, listDto, resourceName, resourceText } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { UserGroupDetailResponseDto, UserGroupResponseDto } from '../dtos/user-group.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({ userGroupId: id.describe('The group, by the `id` of `GET /api/v1/user-groups`.') })

const UserGroupRequestDto = dto('UserGroupRequestDto', {
  name: resourceName.describe(
    '1 to 100 characters without control characters; blanks around it are removed. Unique in the tenant.',
  ),
  description: resourceText.describe('Free text of at most 500 characters; null or left out: none.'),
})

const UserGroupMembersRequestDto = dto('UserGroupMembersRequestDto', {
  userIds: ids.describe('At most 1,000 users of the tenant, by their `id`.'),
})

export const userGroups = defineRoutes('UserGroups', {
  create: {
    method: 'POST',
    path: '/api/v1/user-groups',
    summary: 'Create a user group without members',
    access: { permission: 'tenant.user-groups.write', on: 'tenant' },
    tenant: 'query',
    body: UserGroupRequestDto,
    response: UserGroupDetailResponseDto,
    status: 201,
    location: '/api/v1/user-groups/:id',
    problems: { 409: `Another user group of the tenant has the name, or the tenant has ${mostOf('user groups')}.` },
  },
  list: {
    method: 'GET',
    path: '/api/v1/user-groups',
    summary: 'User groups of a tenant, by name',
    access: { permission: 'tenant.user-groups.read', on: 'tenant' },
    tenant: 'query',
    response: listDto(
      'UserGroupListResponseDto',
      UserGroupResponseDto,
      'All user groups of the tenant, by name; not paged.',
    ),
  },
  get: {
    method: 'GET',
    path: '/api/v1/user-groups/:userGroupId',
    summary: 'One user group with its members',
    access: { permission: 'tenant.user-groups.read', on: 'tenant' },
    tenant: 'query',
    params,
    response: UserGroupDetailResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/user-groups/:userGroupId',
    summary: 'Replace name and description of a user group',
    access: { permission: 'tenant.user-groups.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: UserGroupRequestDto,
    response: UserGroupDetailResponseDto,
    problems: { 409: 'Another user group of the tenant has the name.' },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/user-groups/:userGroupId',
    summary: 'Delete a user group and the rights that it gave; its users stay',
    description: 'Needs what removing the assignments of the group one by one would need.',
    problems: { 409: 'Nobody else could administer the server.' },
    access: { permission: 'tenant.user-groups.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
  addMembers: {
    method: 'POST',
    path: '/api/v1/user-groups/:userGroupId/members',
    summary: 'Add users to a group, all or none; users already in it are ignored',
    access: { permission: 'user-group.assign-users', on: 'userGroup', at: 'userGroupId' },
    tenant: 'query',
    params,
    body: UserGroupMembersRequestDto,
    description:
      'A group with rights at the server takes users only from holders of `server.permissions.write`; one with `tenant.permissions.*` only from holders of the same.',
    problems: {
      409: `Nobody else could administer the server, or a user would exceed the limit: ${mostOf('groups of a device or a user')}.`,
    },
  },
  removeMembers: {
    method: 'DELETE',
    path: '/api/v1/user-groups/:userGroupId/members',
    summary: 'Remove users from a group; users that are not in it are ignored',
    description:
      'Out of a group with rights at the server, or with denies, users are taken only by those who may remove such assignments.',
    problems: { 409: 'Nobody else could administer the server.' },
    access: { permission: 'user-group.assign-users', on: 'userGroup', at: 'userGroupId' },
    tenant: 'query',
    params,
    body: UserGroupMembersRequestDto,
  },
})
