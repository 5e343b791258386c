import { invites } from '../../shared/api/invites.ts'
import { holds } from '../policies/rights.ts'
import { presentInvite } from '../presenters/invite.ts'
import { createInvite, deleteInvite, listInvites } from '../services/people/invites.ts'
import { callerOf, implement } from './implement.ts'

export const inviteRoutes = implement(invites, {
  create: async ({ app, origin }, { tenantId, body }) =>
    presentInvite(await createInvite(app, tenantId, body.inviteeEmail), origin(), true),
  list: async (context, { tenantId }) => {
    const { app } = context
    const maySeeCode = holds(app, callerOf(context), 'tenant.users.write', tenantId)
    return { items: (await listInvites(app, tenantId)).map((row) => presentInvite(row, context.origin(), maySeeCode)) }
  },
  delete: (context, { tenantId, params }) => deleteInvite(context, tenantId, params.inviteId),
})
