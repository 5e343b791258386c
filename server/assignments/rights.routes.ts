import { applianceRights, holderKinds } from '../../shared/api/appliance-rights.ts'
import {
  authorizationChangeLogs,
  type AuthorizationChangeLogSearch,
} from '../../shared/api/authorization-change-logs.ts'
import { effectivePermissions } from '../../shared/api/effective-permissions.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RouteCall } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { searchAuthorizationChanges, type ChangeFilters } from './authorization-log-search.ts'
import { exportChanges } from './change-export.ts'
import { checkRights } from './check-rights.ts'
import { explainPermission } from './effective-permissions.ts'
import { listGrants } from './grant-list.ts'
import { changeGrants, devicesWithin, grantRights } from './grants.ts'
import { findNamed, namesOf } from './readable-names.ts'
import { changeFile, presentAuthorizationChange } from './present.ts'

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

export const effectivePermissionRoutes = implement(effectivePermissions, {
  get: (call, { tenantId, params, query }) => explainPermission(call, tenantId, params.principalId, query),
})

async function page(call: RouteCall, tenantId: string | null, search: AuthorizationChangeLogSearch) {
  const { rows, totalItems } = await searchAuthorizationChanges(call, tenantId, search)
  return { items: rows.map(presentAuthorizationChange), totalItems }
}

export const authorizationChangeLogRoutes = implement(authorizationChangeLogs, {
  list: (call, { tenantId, query }) => page(call, tenantId, query),
  listOfServer: (call, { query }) => page(call, null, query),
})
