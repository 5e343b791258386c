import { users } from '../../shared/api/users.ts'
import { presentUser } from '../presenters/user.ts'
import { createUser, deleteUser, listUsers, resetPassword } from '../services/people/user-administration.ts'
import { implement } from './implement.ts'

export const userRoutes = implement(users, {
  create: async (call, { tenantId, body }) => presentUser(await createUser(call, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listUsers(call, tenantId)).map(presentUser) }),
  delete: (call, { tenantId, params }) => deleteUser(call, tenantId, params.userId),
  resetPassword: (call, { tenantId, params }) => resetPassword(call, tenantId, params.userId),
})
