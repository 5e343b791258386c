import {
  authorizationChangeLogs,
  type AuthorizationChangeLogSearch,
} from '../../shared/api/authorization-change-logs.ts'
import type { Call } from '../call.ts'
import { presentAuthorizationChange } from '../presenters/authorization-change-log.ts'
import { searchAuthorizationChanges } from '../services/rights/authorization-log-search.ts'
import { implement } from './implement.ts'

async function page(call: Call, tenantId: string | null, search: AuthorizationChangeLogSearch) {
  const { rows, totalItems } = await searchAuthorizationChanges(call, tenantId, search)
  return { items: rows.map(presentAuthorizationChange), totalItems }
}

export const authorizationChangeLogRoutes = implement(authorizationChangeLogs, {
  list: (call, { tenantId, query }) => page(call, tenantId, query),
  listOfServer: (call, { query }) => page(call, null, query),
})
