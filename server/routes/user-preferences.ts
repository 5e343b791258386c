import { userPreferences } from '../../shared/api/user-preferences.ts'
import { ownUserId, userPreferences as preferences } from '../services/people/preferences.ts'
import { implement } from './implement.ts'

export const userPreferencesRoutes = implement(userPreferences, {
  getAll: async (call) => preferences.getAll(call, await ownUserId(call)),
  get: async (call, { params }) => preferences.get(call, await ownUserId(call), params.name),
  set: async (call, { body }) => preferences.set(call, await ownUserId(call), body),
  replaceAll: async (call, { body }) => preferences.replaceAll(call, await ownUserId(call), body),
})
