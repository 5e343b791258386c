import { userGroups } from '../../shared/api/user-groups.ts'
import { presentUserGroup, presentUserGroupDetail } from '../presenters/user-group.ts'
import { userGroupKind as kind } from '../services/organization/group-kinds.ts'
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

export const userGroupRoutes = implement(userGroups, {
  create: async (context, { tenantId, body }) =>
    presentUserGroupDetail(await createGroup(context, kind, tenantId, body)),
  list: async ({ app }, { tenantId }) => ({ items: (await listGroups(app, kind, tenantId)).map(presentUserGroup) }),
  get: async ({ app }, { tenantId, params }) =>
    presentUserGroupDetail(await getGroup(app, kind, tenantId, params.userGroupId)),
  update: async (context, { tenantId, params, body }) =>
    presentUserGroupDetail(await updateGroup(context, kind, tenantId, params.userGroupId, body)),
  delete: (context, { tenantId, params }) => deleteGroup(context, kind, tenantId, params.userGroupId),
  addMembers: (context, { tenantId, params, body }) =>
    addGroupMembers(context, kind, tenantId, params.userGroupId, body.userIds),
  removeMembers: (context, { tenantId, params, body }) =>
    removeGroupMembers(context, kind, tenantId, params.userGroupId, body.userIds),
})
