import { applianceInvitations } from '../../shared/api/appliance-invitations.ts'
import type { OpenRouteCall } from '../call.ts'
import type { Acceptance } from '../services/people/acceptance.ts'
import { acceptWithPasskey, acceptWithProvider, beginPasskeyAcceptance } from '../services/people/acceptance-ways.ts'
import { startSession } from '../services/people/sign-in.ts'
import { implement } from './implement.ts'

/** Signs in the person who accepted an invitation. */
export async function answerAcceptance(call: OpenRouteCall, accepted: Acceptance) {
  if ('errorMessage' in accepted) {
    return { isSuccessful: false, errorMessage: accepted.errorMessage }
  }
  await startSession(call, accepted.user, { isPersistent: false })
  return { isSuccessful: true, errorMessage: null }
}

export const applianceInvitationRoutes = implement(applianceInvitations, {
  passkeyOptions: (call, { body }) => beginPasskeyAcceptance(call, body.activationCode),
  acceptWithPasskey: async (call, { body }) => answerAcceptance(call, await acceptWithPasskey(call, body)),
  acceptWithProvider: async (call, { body }) => answerAcceptance(call, await acceptWithProvider(call, body)),
})
