import { keepPreviousData, useInfiniteQuery, type QueryKey, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'

/** Time after which changes by others appear. */
const refreshMs = 10_000
/** A list of more loaded pages is refreshed by the focus of the window alone: each page is a request. */
const refreshedPages = 3

/** Rows of a list and the state of their loading. */
export interface ListData<Row> {
  /** Loaded rows. */
  rows: readonly Row[]
  /** Number of rows that match, loaded or not; undefined if the server does not count them. */
  total: number | undefined
  isPending: boolean
  /** Whether the rows still belong to the previous filters. */
  isStale: boolean
  error: unknown
  reload: () => void
  /** The next page failed while the others are shown. */
  moreError?: unknown
  retryMore?: () => void
  isLoadingMore?: boolean
  loadMore?: () => void
}

export interface Page<Row> {
  items: readonly Row[]
  total: number
}

/** A list that an infinite query loads; `rows` are those of its pages. */
export const infiniteList = <Row>(
  query: Pick<
    UseInfiniteQueryResult,
    | 'data'
    | 'error'
    | 'isPending'
    | 'isPlaceholderData'
    | 'isFetchNextPageError'
    | 'isFetchingNextPage'
    | 'hasNextPage'
    | 'refetch'
    | 'fetchNextPage'
  >,
  rows: readonly Row[],
): ListData<Row> => ({
  rows,
  total: undefined,
  isPending: query.isPending,
  isStale: query.isPlaceholderData,
  error: query.data === undefined ? query.error : undefined,
  reload: () => void query.refetch(),
  moreError: query.isFetchNextPageError ? query.error : undefined,
  retryMore: () => void query.fetchNextPage(),
  isLoadingMore: query.isFetchingNextPage,
  loadMore: () => {
    // A request for the next page cancels a refresh of the loaded pages.
    if (query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData && !query.isFetchNextPageError) {
      void query.fetchNextPage()
    }
  },
})

/** Loads a list page by page; `read` gets the number of rows to skip. The key contains the filters. */
export function usePagedList<P extends Page<unknown>>(
  queryKey: QueryKey,
  read: (skip: number, signal: AbortSignal) => Promise<P>,
): ListData<P['items'][number]> & { lastPage: P | undefined } {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ items, total }, _pages, skipped) =>
      items.length > 0 && skipped + items.length < total ? skipped + items.length : undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= refreshedPages ? refreshMs : false),
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const lastPage = query.data?.pages.at(-1)
  return { ...infiniteList(query, rows), total: lastPage?.total, lastPage }
}

interface WholeQuery {
  data: unknown
  error: unknown
  isPending: boolean
  refetch: () => unknown
}

/** A list that the server sends whole; `rows` are those that match the filters. */
export const wholeList = <Row>(query: WholeQuery, rows: readonly Row[]): ListData<Row> => ({
  rows,
  total: rows.length,
  isPending: query.isPending,
  isStale: false,
  error: query.data === undefined ? query.error : undefined,
  reload: () => void query.refetch(),
})
