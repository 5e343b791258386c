import { users } from '../../shared/api/users.ts'
import { presentUser } from '../presenters/user.ts'
import { createUser, deleteUser, listUsers, resetPassword } from '../services/people/user-administration.ts'
import { callerOf, implement } from './implement.ts'

export const userRoutes = implement(users, {
  create: async (context, { tenantId, body }) =>
    presentUser(await createUser(context, callerOf(context), tenantId, body)),
  list: async ({ app }, { tenantId }) => ({ items: (await listUsers(app, tenantId)).map(presentUser) }),
  delete: (context, { tenantId, params }) => deleteUser(context, callerOf(context), tenantId, params.userId),
  resetPassword: (context, { tenantId, params }) =>
    resetPassword(context.app, callerOf(context), tenantId, params.userId),
})
