import { userStorage } from '../../shared/api/user-storage.ts'
import { userOf } from '../services/user-preferences.ts'
import { deleteStorageItem, getStorageItem, setStorageItem } from '../services/user-storage.ts'
import { callerOf, implement } from './implement.ts'

export const userStorageRoutes = implement(userStorage, {
  set: (context, { body }) => setStorageItem(context.app, userOf(callerOf(context)), body),
  get: (context, { params }) => getStorageItem(context.app, userOf(callerOf(context)), params.key),
  delete: (context, { params }) => deleteStorageItem(context.app, userOf(callerOf(context)), params.key),
})
