import {
  authorizationChangeLogs,
  type AuthorizationChangeLogSearch,
} from '../../shared/api/authorization-change-logs.ts'
import type { App } from '../context.ts'
import { presentAuthorizationChange } from '../presenters/authorization-change-log.ts'
import { searchAuthorizationChanges } from '../services/rights/authorization-log-search.ts'
import { implement } from './implement.ts'

async function page(app: App, tenantId: string | null, search: AuthorizationChangeLogSearch) {
  const { rows, totalItems } = await searchAuthorizationChanges(app, tenantId, search)
  return { items: rows.map(presentAuthorizationChange), totalItems }
}

export const authorizationChangeLogRoutes = implement(authorizationChangeLogs, {
  list: ({ app }, { tenantId, query }) => page(app, tenantId, query),
  listOfServer: ({ app }, { query }) => page(app, null, query),
})
