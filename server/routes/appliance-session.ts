import { applianceSession } from '../../shared/api/appliance-session.ts'
import type { Context } from '../context.ts'
import type { UserRow } from '../models/user.ts'
import { presentCurrentUser } from '../presenters/user.ts'
import { checkPassword, registerUser } from '../services/users.ts'
import { implement } from './implement.ts'

async function signIn(context: Context, user: UserRow, isPersistent: boolean) {
  context.setSession(await context.app.sessions.start(user, isPersistent), isPersistent)
  return presentCurrentUser(user, false)
}

export const applianceSessionRoutes = implement(applianceSession, {
  signIn: async (context, { body }) => {
    const { user, isLockedOut } = await checkPassword(context.app, body.email, body.password)
    return { isLockedOut, user: user ? await signIn(context, user, body.staySignedIn) : null }
  },
  register: async (context, { body }) => signIn(context, await registerUser(context.app, body), false),
})
