import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AuditFilters } from '../../../shared/api/appliance-audit-log.ts'
import { api } from '../../api/http.ts'

const pageSize = 100

/** Entries to read: of a tenant, or undefined for the whole server. */
type Scope = string | undefined

const read = (
  tenantId: Scope,
  query: AuditFilters & { before?: number | undefined; limit: number },
  signal: AbortSignal,
) => (tenantId === undefined ? api.auditLog.listAll({ query }, signal) : api.auditLog.list({ tenantId, query }, signal))

export const auditQueries = {
  chain: (tenantId: string) =>
    queryOptions({
      queryKey: ['audit', 'chain', tenantId],
      queryFn: ({ signal }) => api.auditLog.chain({ tenantId }, signal),
    }),
  list: (tenantId: Scope, filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ['audit', 'list', tenantId, filters],
      queryFn: ({ pageParam, signal }) => read(tenantId, { ...filters, before: pageParam, limit: pageSize }, signal),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ items, hasMore }) => (hasMore ? items.at(-1)?.id : undefined),
      placeholderData: keepPreviousData,
      // A refetch reads every loaded page again and moves the rows.
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  /** Entry by its id; null if it is not among those that the user may read. */
  event: (tenantId: Scope, id: number) =>
    queryOptions({
      queryKey: ['audit', 'event', tenantId, id],
      queryFn: async ({ signal }) => {
        const { items } = await read(tenantId, { before: id + 1, limit: 1 }, signal)
        return items.find((event) => event.id === id) ?? null
      },
      staleTime: Infinity,
    }),
}
