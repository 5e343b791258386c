import { applianceNotices } from '../../shared/api/appliance-notices.ts'
import { appliancePeople } from '../../shared/api/appliance-people.ts'
import { users } from '../../shared/api/users.ts'
import { aboutPerson, implement } from '../surface/implement.ts'
import {
  disablePerson,
  enablePerson,
  endSignInOfPerson,
  endSignInsOfPerson,
  listSignInsOfPerson,
  removeOtherWaysIn,
  unlockPerson,
} from './sign-in-administration.ts'
import { presentSignIn } from '../identity/present.ts'
import { invitePerson } from './invites.ts'
import { dismissNotices, listNotices } from '../people/notices.ts'
import { getGroupRights, getPerson, listPeople } from './people.ts'
import { presentNotice, presentUser } from '../people/present.ts'
import { createPerson, createUser, deleteUser, listUsers, resetPassword } from './user-administration.ts'

export const appliancePeopleRoutes = implement(appliancePeople, {
  list: (call, { tenantId, query }) => listPeople(call, tenantId, query),
  create: (call, { tenantId, body }) => createPerson(call, tenantId, body),
  invite: (call, { tenantId, body }) => invitePerson(call, tenantId, body.inviteeEmail, body.start),
  unlock: (call, { tenantId, params }) => unlockPerson(aboutPerson(call, params.userId), tenantId, params.userId),
  get: (call, { tenantId, params }) => getPerson(call, tenantId, params.userId),
  disable: (call, { tenantId, params }) => disablePerson(aboutPerson(call, params.userId), tenantId, params.userId),
  enable: (call, { tenantId, params }) => enablePerson(aboutPerson(call, params.userId), tenantId, params.userId),
  signIns: async (call, { tenantId, params }) => ({
    items: (await listSignInsOfPerson(aboutPerson(call, params.userId), tenantId, params.userId)).map(presentSignIn),
  }),
  endSignIn: (call, { tenantId, params }) =>
    endSignInOfPerson(aboutPerson(call, params.userId), tenantId, params.userId, params.signInId),
  endSignIns: async (call, { tenantId, params }) => ({
    ended: await endSignInsOfPerson(aboutPerson(call, params.userId), tenantId, params.userId),
  }),
  removeOtherWaysIn: (call, { tenantId, params }) =>
    removeOtherWaysIn(aboutPerson(call, params.userId), tenantId, params.userId),
  groupRights: (call, { tenantId, params }) => getGroupRights(call, tenantId, params.userGroupId),
})

export const userRoutes = implement(users, {
  create: async (call, { tenantId, body }) => presentUser(await createUser(call, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listUsers(call, tenantId)).map(presentUser) }),
  delete: (call, { tenantId, params }) => deleteUser(call, tenantId, params.userId),
  resetPassword: (call, { tenantId, params }) => resetPassword(call, tenantId, params.userId),
})

export const applianceNoticeRoutes = implement(applianceNotices, {
  list: async (call) => ({ items: (await listNotices(call)).map(presentNotice) }),
  dismiss: (call, { body }) => dismissNotices(call, body.noticeIds),
})
