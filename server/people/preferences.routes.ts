import { effectiveUserPreferences } from '../../shared/api/effective-user-preferences.ts'
import { userPreferences } from '../../shared/api/user-preferences.ts'
import { userStorage } from '../../shared/api/user-storage.ts'
import { implement } from '../surface/implement.ts'
import { effectivePreferences, ownUserId, userPreferences as preferences } from './preferences.ts'
import { deleteStorageItem, getStorageItem, setStorageItem } from './user-storage.ts'

export const userPreferencesRoutes = implement(userPreferences, {
  getAll: async (call) => preferences.getAll(call, await ownUserId(call)),
  get: async (call, { params }) => preferences.get(call, await ownUserId(call), params.name),
  set: async (call, { body }) => preferences.set(call, await ownUserId(call), body),
  replaceAll: async (call, { body }) => preferences.replaceAll(call, await ownUserId(call), body),
})

export const effectiveUserPreferencesRoutes = implement(effectiveUserPreferences, {
  get: (call, { tenantId }) => effectivePreferences(call, tenantId),
})

export const userStorageRoutes = implement(userStorage, {
  set: async (call, { body }) => setStorageItem(call, await ownUserId(call), body),
  get: async (call, { params }) => getStorageItem(call, await ownUserId(call), params.key),
  delete: async (call, { params }) => deleteStorageItem(call, await ownUserId(call), params.key),
})
