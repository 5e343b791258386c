import { inviteAcceptance } from '../../shared/api/invite-acceptance.ts'
import { acceptInvite } from '../services/people/invites.ts'
import { implement } from './implement.ts'

export const inviteAcceptanceRoutes = implement(inviteAcceptance, {
  accept: async (context, { body }) => {
    const accepted = await acceptInvite(context, body)
    if ('errorMessage' in accepted) {
      return { isSuccessful: false, errorMessage: accepted.errorMessage }
    }
    context.setSession(await context.app.signIns.startSession(accepted.user, false))
    return { isSuccessful: true, errorMessage: null }
  },
})
