import { applianceInvitations } from '../../shared/api/appliance-invitations.ts'
import { inviteAcceptance } from '../../shared/api/invite-acceptance.ts'
import { invites } from '../../shared/api/invites.ts'
import type { OpenRouteCall } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { sendConfirmation } from '../identity/account-mail.ts'
import { startSession } from '../identity/sign-in.ts'
import { agentUrl } from '../network/addresses.ts'
import { acceptWithPasskey, acceptWithProvider, beginPasskeyAcceptance } from './acceptance-ways.ts'
import { type Acceptance, acceptInvite } from './acceptance.ts'
import { deleteInvite, invitePerson, listInvites } from './invites.ts'
import { presentInvite } from '../people/present.ts'

export const inviteRoutes = implement(invites, {
  create: (call, { tenantId, body }) => invitePerson(call, tenantId, body.inviteeEmail),
  list: async (call, { tenantId }) => ({
    items: (await listInvites(call, tenantId)).map((row) => presentInvite(row, agentUrl(call.app, call.origin()))),
  }),
  delete: (call, { tenantId, params }) => deleteInvite(call, tenantId, params.inviteId),
})

export const inviteAcceptanceRoutes = implement(inviteAcceptance, {
  accept: async (call, { body }) => answerAcceptance(call, await acceptInvite(call, body)),
})

/**
 * Signs in the person who accepted an invitation. Without the mailed link the address is still to be confirmed, first where
 * the server requires that.
 */
async function answerAcceptance(call: OpenRouteCall, accepted: Acceptance) {
  if ('errorMessage' in accepted) {
    return { isSuccessful: false, errorMessage: accepted.errorMessage }
  }
  const { user } = accepted
  if (!user.isEmailConfirmed) {
    sendConfirmation(call, user)
  }
  if (user.isEmailConfirmed || !call.app.config.appOptions.requireUserEmailConfirmation) {
    await startSession(call, user, { isPersistent: false })
  }
  return { isSuccessful: true, errorMessage: null }
}

export const applianceInvitationRoutes = implement(applianceInvitations, {
  passkeyOptions: (call, { body }) => beginPasskeyAcceptance(call, body.activationCode),
  acceptWithPasskey: async (call, { body }) => answerAcceptance(call, await acceptWithPasskey(call, body)),
  acceptWithProvider: async (call, { body }) => answerAcceptance(call, await acceptWithProvider(call, body)),
})
