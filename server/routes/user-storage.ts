import { userStorage } from '../../shared/api/user-storage.ts'
import type { Context } from '../context.ts'
import { userOf } from '../services/people/preferences.ts'
import { deleteStorageItem, getStorageItem, setStorageItem } from '../services/people/storage.ts'
import { callerOf, implement } from './implement.ts'

const ownerOf = (context: Context) => userOf(context.app, callerOf(context))

export const userStorageRoutes = implement(userStorage, {
  set: async (context, { body }) => setStorageItem(context.app, await ownerOf(context), body),
  get: async (context, { params }) => getStorageItem(context.app, await ownerOf(context), params.key),
  delete: async (context, { params }) => deleteStorageItem(context.app, await ownerOf(context), params.key),
})
