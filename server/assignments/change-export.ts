import type { RouteCall } from '../call/call.ts'
import type { ChangePage } from './present.ts'
import { allAuthorizationChanges, type ChangeFilters } from './authorization-log-search.ts'
import { namesOf, type Names } from './readable-names.ts'

const noNames: Names = new Map()

/** Records the export, then yields every matching change of a tenant, or with null of the server, newest first. */
export async function exportChanges(
  call: RouteCall,
  tenantId: string | null,
  filters: ChangeFilters,
): Promise<AsyncIterable<ChangePage>> {
  const used = Object.entries(filters).map(([name, value]) => `${name}=${value}`)
  await call.app.audit.record(call.actor, {
    kind: 'export.rights-changes',
    ...(tenantId !== null && { tenantId }),
    details: { filters: used.join(' ') },
  })
  return pagesOf(call, tenantId, filters)
}

async function* pagesOf(call: RouteCall, tenantId: string | null, filters: ChangeFilters): AsyncIterable<ChangePage> {
  for await (const rows of allAuthorizationChanges(call, tenantId, filters)) {
    try {
      await call.recheck()
    } catch (error) {
      yield { rows: [], names: noNames, problem: error instanceof Error ? error.message : '' }
      throw error
    }
    const ids = rows.flatMap(({ actorPrincipalId, targetId }) =>
      [actorPrincipalId, targetId].filter((id) => id !== null),
    )
    yield { rows, names: tenantId === null ? noNames : await namesOf(call, tenantId, ids) }
  }
}
