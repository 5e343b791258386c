import { userGroups } from '../../shared/api/user-groups.ts'
import { presentGroup, presentUserGroup } from './present.ts'
import { userGroupKind as kind } from './group-kinds.ts'
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

export const userGroupRoutes = implement(userGroups, {
  create: async (call, { tenantId, body }) => presentUserGroup(await createGroup(call, kind, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listGroups(call, kind, tenantId)).map(presentGroup) }),
  get: async (call, { tenantId, params }) => presentUserGroup(await getGroup(call, kind, tenantId, params.userGroupId)),
  update: async (call, { tenantId, params, body }) =>
    presentUserGroup(await updateGroup(call, kind, tenantId, params.userGroupId, body)),
  delete: (call, { tenantId, params }) => deleteGroup(call, kind, tenantId, params.userGroupId),
  addMembers: (call, { tenantId, group, body }) => addGroupMembers(call, kind, tenantId, group.id, body.userIds),
  removeMembers: (call, { tenantId, group, body }) => removeGroupMembers(call, kind, tenantId, group.id, body.userIds),
})
