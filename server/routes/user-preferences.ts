import { userPreferences } from '../../shared/api/user-preferences.ts'
import type { Context } from '../context.ts'
import { userOf, userPreferences as preferences } from '../services/people/preferences.ts'
import { callerOf, implement } from './implement.ts'

const ownerOf = (context: Context) => userOf(context.app, callerOf(context))

export const userPreferencesRoutes = implement(userPreferences, {
  getAll: async (context) => preferences.getAll(context.app, await ownerOf(context)),
  get: async (context, { params }) => preferences.get(context.app, await ownerOf(context), params.name),
  set: async (context, { body }) => preferences.set(context.app, await ownerOf(context), body),
  replaceAll: async (context, { body }) => preferences.replaceAll(context.app, await ownerOf(context), body),
})
