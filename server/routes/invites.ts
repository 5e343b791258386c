import { invites } from '../../shared/api/invites.ts'
import { holds } from '../policies/rights.ts'
import { presentInvite } from '../presenters/invite.ts'
import { createInvite, deleteInvite, listInvites } from '../services/people/invites.ts'
import { implement } from './implement.ts'

export const inviteRoutes = implement(invites, {
  create: async (call, { tenantId, body }) =>
    presentInvite(await createInvite(call, tenantId, body.inviteeEmail), call.origin(), true),
  list: async (call, { tenantId }) => {
    const maySeeCode = holds(call.app, call.principal, 'tenant.users.write', tenantId)
    return { items: (await listInvites(call, tenantId)).map((row) => presentInvite(row, call.origin(), maySeeCode)) }
  },
  delete: (call, { tenantId, params }) => deleteInvite(call, tenantId, params.inviteId),
})
