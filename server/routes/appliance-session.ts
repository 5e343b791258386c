import { applianceSession } from '../../shared/api/appliance-session.ts'
import { presentCurrentUser } from '../presenters/user.ts'
import { registerUser } from '../services/users.ts'
import { implement } from './implement.ts'

export const applianceSessionRoutes = implement(applianceSession, {
  signIn: async ({ app, setSession }, { body: { email, password, staySignedIn } }) => {
    const { user, token, isLockedOut } = await app.signIns.signIn(email, password, staySignedIn)
    if (!user) {
      return { isLockedOut, user: null }
    }
    setSession(token, staySignedIn)
    return { isLockedOut, user: presentCurrentUser(user, false) }
  },
  register: async ({ app, setSession }, { body }) => {
    const user = await registerUser(app, body)
    setSession(await app.sessions.start(user, false))
    return presentCurrentUser(user, false)
  },
})
