import { deviceGroups } from '../../shared/api/device-groups.ts'
import { presentDeviceGroup, presentGroup, presentUserGroup } from './present.ts'
import { deviceGroupKind, userGroupKind } from './group-kinds.ts'
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  removeGroupMembers,
  updateGroup,
} from './groups.ts'
import { implement } from '../surface/implement.ts'
import { userGroups } from '../../shared/api/user-groups.ts'

export const deviceGroupRoutes = implement(deviceGroups, {
  create: async (call, { tenantId, body }) =>
    presentDeviceGroup(await createGroup(call, deviceGroupKind, tenantId, body)),
  list: async (call, { tenantId }) => ({
    items: (await listGroups(call, deviceGroupKind, tenantId)).map(presentGroup),
  }),
  get: async (call, { tenantId, params }) =>
    presentDeviceGroup(await getGroup(call, deviceGroupKind, tenantId, params.deviceGroupId)),
  update: async (call, { tenantId, params, body }) =>
    presentDeviceGroup(await updateGroup(call, deviceGroupKind, tenantId, params.deviceGroupId, body)),
  delete: (call, { tenantId, params }) => deleteGroup(call, deviceGroupKind, tenantId, params.deviceGroupId),
  addMembers: (call, { tenantId, group, body }) =>
    addGroupMembers(call, deviceGroupKind, tenantId, group.id, body.deviceIds),
  removeMembers: (call, { tenantId, group, body }) =>
    removeGroupMembers(call, deviceGroupKind, tenantId, group.id, body.deviceIds),
})

export const userGroupRoutes = implement(userGroups, {
  create: async (call, { tenantId, body }) => presentUserGroup(await createGroup(call, userGroupKind, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listGroups(call, userGroupKind, tenantId)).map(presentGroup) }),
  get: async (call, { tenantId, params }) =>
    presentUserGroup(await getGroup(call, userGroupKind, tenantId, params.userGroupId)),
  update: async (call, { tenantId, params, body }) =>
    presentUserGroup(await updateGroup(call, userGroupKind, tenantId, params.userGroupId, body)),
  delete: (call, { tenantId, params }) => deleteGroup(call, userGroupKind, tenantId, params.userGroupId),
  addMembers: (call, { tenantId, group, body }) =>
    addGroupMembers(call, userGroupKind, tenantId, group.id, body.userIds),
  removeMembers: (call, { tenantId, group, body }) =>
    removeGroupMembers(call, userGroupKind, tenantId, group.id, body.userIds),
})
