import { userPreferences } from '../../shared/api/user-preferences.ts'
import { userOf, userPreferences as preferences } from '../services/user-preferences.ts'
import { callerOf, implement } from './implement.ts'

export const userPreferencesRoutes = implement(userPreferences, {
  getAll: (context) => preferences.getAll(context.app, userOf(callerOf(context))),
  get: (context, { params }) => preferences.get(context.app, userOf(callerOf(context)), params.name),
  set: (context, { body }) => preferences.set(context.app, userOf(callerOf(context)), body),
  replaceAll: (context, { body }) => preferences.replaceAll(context.app, userOf(callerOf(context)), body),
})
