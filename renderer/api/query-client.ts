import { QueryClient, queryOptions, type QueryKey, type UndefinedInitialDataOptions } from '@tanstack/react-query'
import { statusOf } from './http.ts'

/** Cache of the server's answers to this page. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A response with an error status is final; only a request without a response is retried.
      retry: (count, error) => count < 2 && statusOf(error) === undefined,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
  },
})

/** Marks queries as stale whose keys begin with one of these, and reloads those on screen. */
export async function invalidate(...queryKeys: readonly QueryKey[]): Promise<void> {
  await Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}

/** Query of one request: its key, how it is read, and what else differs from other queries. */
export const query = <Data>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<Data>,
  options: Omit<UndefinedInitialDataOptions<Data>, 'queryKey' | 'queryFn'> = {},
) => queryOptions({ queryKey, queryFn: ({ signal }) => read(signal), ...options })
