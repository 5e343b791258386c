import { deviceGroups } from '../../shared/api/device-groups.ts'
import { presentDeviceGroup, presentDeviceGroupDetail } from '../presenters/device-group.ts'
import { deviceGroupKind as kind } from '../services/organization/group-kinds.ts'
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  removeGroupMembers,
  updateGroup,
} from '../services/organization/groups.ts'
import { implement } from './implement.ts'

export const deviceGroupRoutes = implement(deviceGroups, {
  create: async (context, { tenantId, body }) =>
    presentDeviceGroupDetail(await createGroup(context, kind, tenantId, body)),
  list: async ({ app }, { tenantId }) => ({ items: (await listGroups(app, kind, tenantId)).map(presentDeviceGroup) }),
  get: async ({ app }, { tenantId, params }) =>
    presentDeviceGroupDetail(await getGroup(app, kind, tenantId, params.deviceGroupId)),
  update: async (context, { tenantId, params, body }) =>
    presentDeviceGroupDetail(await updateGroup(context, kind, tenantId, params.deviceGroupId, body)),
  delete: (context, { tenantId, params }) => deleteGroup(context, kind, tenantId, params.deviceGroupId),
  addMembers: (context, { tenantId, params, body }) =>
    addGroupMembers(context, kind, tenantId, params.deviceGroupId, body.deviceIds),
  removeMembers: (context, { tenantId, params, body }) =>
    removeGroupMembers(context, kind, tenantId, params.deviceGroupId, body.deviceIds),
})
