import { deviceGroups } from '../../shared/api/device-groups.ts'
import { presentDeviceGroup, presentGroup } from './present.ts'
import { deviceGroupKind as kind } from './group-kinds.ts'
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

export const deviceGroupRoutes = implement(deviceGroups, {
  create: async (call, { tenantId, body }) => presentDeviceGroup(await createGroup(call, kind, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listGroups(call, kind, tenantId)).map(presentGroup) }),
  get: async (call, { tenantId, params }) =>
    presentDeviceGroup(await getGroup(call, kind, tenantId, params.deviceGroupId)),
  update: async (call, { tenantId, params, body }) =>
    presentDeviceGroup(await updateGroup(call, kind, tenantId, params.deviceGroupId, body)),
  delete: (call, { tenantId, params }) => deleteGroup(call, kind, tenantId, params.deviceGroupId),
  addMembers: (call, { tenantId, group, body }) => addGroupMembers(call, kind, tenantId, group.id, body.deviceIds),
  removeMembers: (call, { tenantId, group, body }) =>
    removeGroupMembers(call, kind, tenantId, group.id, body.deviceIds),
})
