import { inviteAcceptance } from '../../shared/api/invite-acceptance.ts'
import { acceptInvite } from '../services/people/acceptance.ts'
import { answerAcceptance } from './appliance-invitations.ts'
import { implement } from './implement.ts'

export const inviteAcceptanceRoutes = implement(inviteAcceptance, {
  accept: async (call, { body }) => answerAcceptance(call, await acceptInvite(call, body)),
})
