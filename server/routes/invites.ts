import { invites } from '../../shared/api/invites.ts'
import { presentInvite } from '../presenters/invite.ts'
import { createInvite, deleteInvite, listInvites } from '../services/people/invites.ts'
import { implement } from './implement.ts'

export const inviteRoutes = implement(invites, {
  create: async (call, { tenantId, body }) => {
    const { invite, activationCode } = await createInvite(call, tenantId, body.inviteeEmail)
    return presentInvite(invite, call.origin(), activationCode)
  },
  list: async (call, { tenantId }) => ({
    items: (await listInvites(call, tenantId)).map((row) => presentInvite(row, call.origin())),
  }),
  delete: (call, { tenantId, params }) => deleteInvite(call, tenantId, params.inviteId),
})
