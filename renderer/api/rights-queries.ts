import { keepPreviousData } from '@tanstack/react-query'
import type { ScopeKind } from '../../shared/access.ts'
import type { RightsCheckQuery } from '../../shared/api/appliance-rights.ts'
import { api } from './http.ts'
import { query } from './query-client.ts'

const sharesMs = 5_000
const linesShown = 10

export type FindKind = 'Principal' | 'CustomerTenant' | 'DeviceGroup' | 'Device' | 'UserGroup'

/** Queries of rights and shares. Every key begins with `rights` or `shares`, which changes invalidate. */
export const rightsQueries = {
  find: (kind: FindKind, text: string) =>
    query(
      ['rights', 'find', kind, text],
      async (signal) => (await api.rights.find({ query: { kind, text } }, signal)).items,
    ),
  /** Names by id, as far as the person may read them. */
  names(ids: readonly string[]) {
    const wanted = [...new Set(ids)].toSorted()
    return query(
      ['rights', 'names', wanted],
      async (signal) => {
        const { items } = await api.rights.names({ body: { ids: wanted } }, signal)
        return new Map(items.map(({ id, name }) => [id, name]))
      },
      { enabled: ids.length > 0, placeholderData: keepPreviousData },
    )
  },
  scope: (scopeKind: ScopeKind, scopeId: string | undefined) =>
    query(['rights', 'scope', scopeKind, scopeId], (signal) =>
      api.rights.scope({ query: { scopeKind, scopeId } }, signal),
    ),
  check: (question: Omit<RightsCheckQuery, 'scopeKind'> & { scopeKind: ScopeKind }) =>
    query(['rights', 'check', question], (signal) => api.rights.check({ query: question }, signal)),
  catalog: query(['rights', 'catalog'], async (signal) => (await api.permissionAssignments.catalog({}, signal)).items, {
    staleTime: Infinity,
  }),
  /** The first assignments in force that reach a device, or of a principal. */
  inForce: (of: { deviceId: string } | { principalId: string }) =>
    query(['rights', 'in-force', of], (signal) =>
      api.rights.list({ query: { ...of, state: 'active', page: 0, pageSize: linesShown } }, signal),
    ),
  /** Single assignments of a principal, with their notes. */
  assignments: (principalKind: 'User' | 'UserGroup' | 'ServiceAccount', principalId: string) =>
    query(
      ['rights', 'assignments', principalId],
      async (signal) => (await api.permissionAssignments.list({ query: { principalKind, principalId } }, signal)).items,
    ),
  shares: (deviceId?: string) =>
    query(['shares', deviceId], async (signal) => (await api.shares.list({ query: { deviceId } }, signal)).items, {
      refetchInterval: sharesMs,
    }),
}
