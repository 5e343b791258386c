import { applianceNotifications } from '../../shared/api/appliance-notifications.ts'
import { getUser } from '../people/users.ts'
import { implement, signedInPerson } from '../surface/implement.ts'
import { choose } from './choices.ts'
import { addMethod, removeMethod, updateMethod } from './contact-methods.ts'
import { testMethod } from './deliveries.ts'
import { presentChoices, presentMethod } from './present.ts'

export const applianceNotificationRoutes = implement(applianceNotifications, {
  get: (call) => presentChoices(signedInPerson(call).app, call.principal.id),
  choose: (call, { body }) => choose(signedInPerson(call), body),
  async addMethod(call, { body }) {
    const method = await addMethod(signedInPerson(call), body)
    return presentMethod(call.app, await getUser(call, call.principal.id), method)
  },
  updateMethod: (call, { params, body }) => updateMethod(signedInPerson(call), params.methodId, body),
  removeMethod: (call, { params }) => removeMethod(signedInPerson(call), params.methodId),
  testMethod: (call, { params }) => testMethod(signedInPerson(call), params.methodId),
})
