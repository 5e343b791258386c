import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ScopeKind } from '../../shared/access.ts'
import type { RightsCheckQuery } from '../../shared/api/appliance-rights.ts'
import { api } from './http.ts'

const sharesMs = 5_000
const linesShown = 10

export type FindKind = 'Principal' | 'CustomerTenant' | 'DeviceGroup' | 'Device' | 'UserGroup'

/** Queries of rights and shares. Every key begins with `rights` or `shares`, which changes invalidate. */
export const rightsQueries = {
  find: (tenantId: string, kind: FindKind, text: string) =>
    queryOptions({
      queryKey: ['rights', 'find', tenantId, kind, text],
      queryFn: async ({ signal }) => (await api.rights.find({ tenantId, query: { kind, text } }, signal)).items,
    }),
  /** Names by id, as far as the person may read them. */
  names: (tenantId: string, ids: readonly string[]) =>
    queryOptions({
      queryKey: ['rights', 'names', tenantId, [...new Set(ids)].toSorted()],
      queryFn: async ({ signal, queryKey: [, , , wanted] }) => {
        const { items } = await api.rights.names({ tenantId, body: { ids: [...(wanted as string[])] } }, signal)
        return new Map(items.map(({ id, name }) => [id, name]))
      },
      enabled: ids.length > 0,
      placeholderData: keepPreviousData,
    }),
  scope: (tenantId: string, scopeKind: ScopeKind, scopeId: string | undefined) =>
    queryOptions({
      queryKey: ['rights', 'scope', tenantId, scopeKind, scopeId],
      queryFn: ({ signal }) => api.rights.scope({ tenantId, query: { scopeKind, scopeId } }, signal),
    }),
  check: (tenantId: string, query: Omit<RightsCheckQuery, 'scopeKind'> & { scopeKind: ScopeKind }) =>
    queryOptions({
      queryKey: ['rights', 'check', tenantId, query],
      queryFn: ({ signal }) => api.rights.check({ tenantId, query }, signal),
    }),
  catalog: (tenantId: string) =>
    queryOptions({
      queryKey: ['rights', 'catalog', tenantId],
      queryFn: async ({ signal }) => (await api.permissionAssignments.catalog({ tenantId }, signal)).items,
      staleTime: Infinity,
    }),
  /** The first assignments in force that reach a device, or of a principal. */
  inForce: (tenantId: string, of: { deviceId: string } | { principalId: string }) =>
    queryOptions({
      queryKey: ['rights', 'in-force', tenantId, of],
      queryFn: ({ signal }) =>
        api.rights.list({ tenantId, query: { ...of, state: 'active', page: 0, pageSize: linesShown } }, signal),
    }),
  /** Single assignments of a principal, with their notes. */
  assignments: (tenantId: string, principalKind: 'User' | 'UserGroup' | 'ServiceAccount', principalId: string) =>
    queryOptions({
      queryKey: ['rights', 'assignments', tenantId, principalId],
      queryFn: async ({ signal }) =>
        (await api.permissionAssignments.list({ tenantId, query: { principalKind, principalId } }, signal)).items,
    }),
  shares: (deviceId?: string) =>
    queryOptions({
      queryKey: ['shares', deviceId],
      queryFn: async ({ signal }) => (await api.shares.list({ query: { deviceId } }, signal)).items,
      refetchInterval: sharesMs,
    }),
}
