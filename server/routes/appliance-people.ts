import { appliancePeople } from '../../shared/api/appliance-people.ts'
import { presentSignIn } from '../presenters/own-account.ts'
import {
  disablePerson,
  enablePerson,
  endSignInOfPerson,
  endSignInsOfPerson,
  listSignInsOfPerson,
  removeOtherWaysIn,
} from '../services/people/administered-ways-in.ts'
import { getGroupRights, getPerson, listPeople } from '../services/people/people.ts'
import { implement } from './implement.ts'

export const appliancePeopleRoutes = implement(appliancePeople, {
  list: (call, { tenantId, query }) => listPeople(call, tenantId, query),
  get: (call, { tenantId, params }) => getPerson(call, tenantId, params.userId),
  disable: (call, { tenantId, params }) => disablePerson(call, tenantId, params.userId),
  enable: (call, { tenantId, params }) => enablePerson(call, tenantId, params.userId),
  signIns: async (call, { tenantId, params }) => ({
    items: (await listSignInsOfPerson(call, tenantId, params.userId)).map(presentSignIn),
  }),
  endSignIn: (call, { tenantId, params }) => endSignInOfPerson(call, tenantId, params.userId, params.signInId),
  endSignIns: async (call, { tenantId, params }) => ({
    ended: await endSignInsOfPerson(call, tenantId, params.userId),
  }),
  removeOtherWaysIn: (call, { tenantId, params }) => removeOtherWaysIn(call, tenantId, params.userId),
  groupRights: (call, { tenantId, params }) => getGroupRights(call, tenantId, params.userGroupId),
})
