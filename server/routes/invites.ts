import type { StartDto } from '../../shared/dtos/start.ts'
import type { RouteCall } from '../call.ts'
import { invites } from '../../shared/api/invites.ts'
import { presentInvite } from '../presenters/invite.ts'
import { agentUrl } from '../services/network/addresses.ts'
import { sendInvite } from '../services/people/account-mail.ts'
import { createInvite, deleteInvite, listInvites } from '../services/people/invites.ts'
import { implement } from './implement.ts'

/** Makes an invite and mails its link. */
export async function invitePerson(call: RouteCall, tenantId: string, inviteeEmail: string, start?: StartDto) {
  const { invite, activationCode } = await createInvite(call, tenantId, inviteeEmail, start)
  const mailed = presentInvite(invite, call.mailOrigin(), activationCode)
  sendInvite(call, invite, mailed.inviteUrl)
  return presentInvite(invite, agentUrl(call.app, call.origin()), activationCode)
}

export const inviteRoutes = implement(invites, {
  create: (call, { tenantId, body }) => invitePerson(call, tenantId, body.inviteeEmail),
  list: async (call, { tenantId }) => ({
    items: (await listInvites(call, tenantId)).map((row) => presentInvite(row, agentUrl(call.app, call.origin()))),
  }),
  delete: (call, { tenantId, params }) => deleteInvite(call, tenantId, params.inviteId),
})
