import { inviteAcceptance } from '../../shared/api/invite-acceptance.ts'
import { acceptInvite } from '../services/people/invites.ts'
import { startSession } from '../services/people/sign-in.ts'
import { implement } from './implement.ts'

export const inviteAcceptanceRoutes = implement(inviteAcceptance, {
  accept: async (call, { body }) => {
    const accepted = await acceptInvite(call, body)
    if ('errorMessage' in accepted) {
      return { isSuccessful: false, errorMessage: accepted.errorMessage }
    }
    await startSession(call, accepted.user, { isPersistent: false })
    return { isSuccessful: true, errorMessage: null }
  },
})
