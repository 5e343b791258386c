import { applianceRights, holderKinds } from '../../shared/api/appliance-rights.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RouteCall } from '../call.ts'
import { changeFile } from '../presenters/change-export.ts'
import { exportChanges, type ChangeFilters } from '../services/rights/change-export.ts'
import { checkRights } from '../services/rights/check.ts'
import { listGrants } from '../services/rights/grant-list.ts'
import { changeGrants, devicesWithin, grantRights } from '../services/rights/grants.ts'
import { findNamed, namesOf } from '../services/rights/names.ts'
import { implement } from './implement.ts'

async function file(call: RouteCall, tenantId: string | null, filters: ChangeFilters): Promise<Download> {
  const pages = await exportChanges(call, tenantId, filters)
  const day = new Date(call.app.clock.now()).toISOString().slice(0, 10)
  return { body: changeFile(pages), file: { name: `rights-changes-${day}.csv`, disposition: 'attachment' } }
}

export const applianceRightsRoutes = implement(applianceRights, {
  list: (call, { tenantId, query }) => listGrants(call, tenantId, query),
  grant: async (call, { tenantId, body }) => ({ assignmentIds: await grantRights(call, tenantId, body) }),
  change: (call, { tenantId, body }) => changeGrants(call, tenantId, body),
  check: (call, { tenantId, query }) => checkRights(call, tenantId, query),
  scope: (call, { tenantId, query }) => devicesWithin(call, tenantId, query.scopeKind, query.scopeId ?? null),
  find: async (call, { tenantId, query: { kind, ...query } }) => ({
    items: await findNamed(call, tenantId, { kinds: kind === 'Principal' ? holderKinds : [kind], ...query }),
  }),
  names: async (call, { tenantId, body }) => ({
    items: [...(await namesOf(call, tenantId, body.ids))].map(([id, name]) => ({ id, name })),
  }),
  exportChanges: (call, { tenantId, query }) => file(call, tenantId, query),
  exportServerChanges: (call, { query }) => file(call, null, query),
})
