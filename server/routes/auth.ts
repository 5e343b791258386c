import { auth } from '../../shared/api/auth.ts'
import { presentCurrentUser } from '../presenters/user.ts'
import { getUser } from '../services/users.ts'
import { callerOf, implement } from './implement.ts'

export const authRoutes = implement(auth, {
  me: async (context) => {
    const user = await getUser(context.app, callerOf(context).id)
    return presentCurrentUser(user, context.app.hubs.viewer.isOnline(user.id))
  },
  logout: async (context) => {
    const { id, credential } = callerOf(context)
    if ('session' in credential) {
      const { session } = credential
      await context.app.sessions.end(id, ({ tokenHash }) => tokenHash === session.tokenHash)
    }
    context.setSession(undefined)
  },
  changePassword: (context, { body }) =>
    context.app.signIns.changePassword(callerOf(context), body.currentPassword, body.newPassword),
})
