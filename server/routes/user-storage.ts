import { userStorage } from '../../shared/api/user-storage.ts'
import { ownUserId } from '../services/people/preferences.ts'
import { deleteStorageItem, getStorageItem, setStorageItem } from '../services/people/storage.ts'
import { implement } from './implement.ts'

export const userStorageRoutes = implement(userStorage, {
  set: async (call, { body }) => setStorageItem(call, await ownUserId(call), body),
  get: async (call, { params }) => getStorageItem(call, await ownUserId(call), params.key),
  delete: async (call, { params }) => deleteStorageItem(call, await ownUserId(call), params.key),
})
