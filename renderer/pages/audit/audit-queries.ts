import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { AuditFilters } from '../../../shared/api/appliance-audit-log.ts'
import { api } from '../../api/http.ts'
import { query } from '../../api/query-client.ts'

const pageSize = 100

/** Reads entries of the whole server, or of the person's organization. */
const read = (
  isOfServer: boolean,
  search: AuditFilters & { before?: number | undefined; limit: number },
  signal: AbortSignal,
) => api.auditLog[isOfServer ? 'listAll' : 'list']({ query: search }, signal)

export const auditQueries = {
  chain: query(['audit', 'chain'], (signal) => api.auditLog.chain({}, signal)),
  list: (isOfServer: boolean, filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ['audit', 'list', isOfServer, filters],
      queryFn: ({ pageParam, signal }) => read(isOfServer, { ...filters, before: pageParam, limit: pageSize }, signal),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ items, hasMore }) => (hasMore ? items.at(-1)?.id : undefined),
      placeholderData: keepPreviousData,
      // A refetch reads every loaded page again and moves the rows.
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  /** Entry by its id; null if it is not among those that the user may read. */
  event: (isOfServer: boolean, id: number) =>
    query(
      ['audit', 'event', isOfServer, id],
      async (signal) => {
        const { items } = await read(isOfServer, { before: id + 1, limit: 1 }, signal)
        return items.find((event) => event.id === id) ?? null
      },
      { staleTime: Infinity },
    ),
}
