import { appliancePeople } from '../../shared/api/appliance-people.ts'
import { presentSignIn } from '../presenters/own-account.ts'
import {
  disablePerson,
  enablePerson,
  endSignInOfPerson,
  endSignInsOfPerson,
  listSignInsOfPerson,
  removeOtherWaysIn,
  unlockPerson,
} from '../services/people/administered-ways-in.ts'
import { createPerson } from '../services/people/user-administration.ts'
import { getGroupRights, getPerson, listPeople } from '../services/people/people.ts'
import { invitePerson } from './invites.ts'
import { aboutPerson, implement } from './implement.ts'

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
