import { invites } from '../../shared/api/invites.ts'
import { presentInvite } from '../presenters/invite.ts'
import { agentUrl } from '../services/network/addresses.ts'
import { sendInvite } from '../services/people/account-mail.ts'
import { createInvite, deleteInvite, listInvites } from '../services/people/invites.ts'
import { implement } from './implement.ts'

export const inviteRoutes = implement(invites, {
  create: async (call, { tenantId, body }) => {
    const { invite, activationCode } = await createInvite(call, tenantId, body.inviteeEmail)
    const mailed = presentInvite(invite, call.mailOrigin(), activationCode)
    sendInvite(call, invite, mailed.inviteUrl)
    return presentInvite(invite, agentUrl(call.app, call.origin()), activationCode)
  },
  list: async (call, { tenantId }) => ({
    items: (await listInvites(call, tenantId)).map((row) => presentInvite(row, agentUrl(call.app, call.origin()))),
  }),
  delete: (call, { tenantId, params }) => deleteInvite(call, tenantId, params.inviteId),
})
