import { z } from 'zod'
import { dto, id, ids, listDto, resourceName, resourceText } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { DeviceGroupDetailResponseDto, DeviceGroupResponseDto } from '../dtos/device-group.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({ deviceGroupId: id.describe('The group, by the `id` of `GET /api/v1/device-groups`.') })

const DeviceGroupRequestDto = dto('DeviceGroupRequestDto', {
  name: resourceName.describe(
    '1 to 100 characters without control characters; blanks around it are removed. Unique in the tenant.',
  ),
  description: resourceText.describe('Free text of at most 500 characters; null or left out: none.'),
})

const DeviceGroupMembersRequestDto = dto('DeviceGroupMembersRequestDto', {
  deviceIds: ids.describe('At most 1,000 devices of the tenant, by their `id`.'),
})

export const deviceGroups = defineRoutes('DeviceGroups', {
  create: {
    method: 'POST',
    path: '/api/v1/device-groups',
    summary: 'Create a device group without members',
    access: { permission: 'tenant.device-groups.write', on: 'tenant' },
    tenant: 'query',
    body: DeviceGroupRequestDto,
    response: DeviceGroupDetailResponseDto,
    status: 201,
    location: '/api/v1/device-groups/:id',
    problems: { 409: `Another device group of the tenant has the name, or the tenant has ${mostOf('device groups')}.` },
  },
  list: {
    method: 'GET',
    path: '/api/v1/device-groups',
    summary: 'Device groups of a tenant, by name',
    access: { permission: 'tenant.device-groups.read', on: 'tenant' },
    tenant: 'query',
    response: listDto(
      'DeviceGroupListResponseDto',
      DeviceGroupResponseDto,
      'All device groups of the tenant, by name; not paged.',
    ),
  },
  get: {
    method: 'GET',
    path: '/api/v1/device-groups/:deviceGroupId',
    summary: 'One device group with its members',
    access: { permission: 'tenant.device-groups.read', on: 'tenant' },
    tenant: 'query',
    params,
    response: DeviceGroupDetailResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/device-groups/:deviceGroupId',
    summary: 'Replace name and description of a device group',
    access: { permission: 'tenant.device-groups.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: DeviceGroupRequestDto,
    response: DeviceGroupDetailResponseDto,
    problems: { 409: 'Another device group of the tenant has the name.' },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/device-groups/:deviceGroupId',
    summary: 'Delete a device group and the rights that were granted on it; its devices stay',
    access: { permission: 'tenant.device-groups.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
  addMembers: {
    method: 'POST',
    path: '/api/v1/device-groups/:deviceGroupId/members',
    summary: 'Add devices to a group, all or none; devices already in it are ignored',
    access: { permission: 'device-group.assign-devices', on: 'deviceGroup', at: 'deviceGroupId' },
    tenant: 'query',
    params,
    body: DeviceGroupMembersRequestDto,
    problems: { 409: `A device would exceed its limit: ${mostOf('groups of a device or a user')}.` },
  },
  removeMembers: {
    method: 'DELETE',
    path: '/api/v1/device-groups/:deviceGroupId/members',
    summary: 'Remove devices from a group; devices that are not in it are ignored',
    access: { permission: 'device-group.assign-devices', on: 'deviceGroup', at: 'deviceGroupId' },
    tenant: 'query',
    params,
    body: DeviceGroupMembersRequestDto,
  },
})
