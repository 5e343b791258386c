import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DeviceFacetsDto, QueryProblemDto } from '../../../shared/api/appliance-device-search.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { deviceQueries, type DeviceSearch } from '../../api/device-queries.ts'
import { invalidate } from '../../api/query-client.ts'

const pageSize = 100
const refreshMs = 10_000

/** First and last visible page. */
export interface PageRange {
  first: number
  last: number
}

/** Number of rows that are loaded ahead on either side. */
const aheadRows = 30

/** Pages of the visible rows and the rows ahead. */
export const pagesAround = (firstRow: number, lastRow: number): PageRange => ({
  first: Math.floor(Math.max(0, firstRow - aheadRows) / pageSize),
  last: Math.floor((lastRow + aheadRows) / pageSize),
})

const existingPages = ({ first, last }: PageRange, total: number) => {
  const end = Math.max(0, Math.ceil(total / pageSize) - 1)
  const from = Math.min(end, first)
  return Array.from({ length: Math.min(end, last) - from + 1 }, (_, index) => from + index)
}

/**
 * Devices of a search, by position. Only visible pages are loaded and refreshed; the previous search stays until a new
 * one has its answer.
 */
export interface DeviceListState {
  rows: ReadonlyMap<number, DeviceResponseDto>
  total: number
  facets: DeviceFacetsDto | undefined
  /** Terms of the search that are not understood. */
  problems: readonly QueryProblemDto[]
  isPending: boolean
  isStale: boolean
  /** Error while there is nothing to show. */
  error: Error | null
  hasDevices: boolean
  /** Time of a kept sort order, in ms since the epoch; undefined for stable orders. */
  orderedAt: number | undefined
  sortAgain: () => void
  refresh: () => void
}

export function useDeviceList(wanted: DeviceSearch, range: PageRange, isMoving: boolean): DeviceListState {
  const [order, setOrder] = useState(0)
  const requested = useMemo(
    () => ({ search: wanted, keptOrder: isMoving ? order : undefined }),
    [wanted, isMoving, order],
  )
  const [shown, setShown] = useState(requested)
  const [total, setTotal] = useState(0)
  const pageQuery = ({ search, keptOrder }: typeof requested, page: number) => ({
    ...deviceQueries.page(search, { page, pageSize, keptOrder }),
    refetchInterval: refreshMs,
  })

  const first = useQuery(pageQuery(requested, 0))
  if (shown !== requested && first.data) {
    setShown(requested)
  }
  const pages = existingPages(range, total)
  const answers = useQueries({
    queries: pages.map((page) => pageQuery(shown, page)),
    combine: (results) => ({
      data: results.map(({ data }) => data),
      error: results.find(({ error }) => error)?.error ?? null,
    }),
  })
  const latest = answers.data.find((page) => page) ?? (shown === requested ? first.data : undefined)
  if (latest && latest.totalItems !== total) {
    setTotal(latest.totalItems)
  }

  const { data: facets } = useQuery({
    ...deviceQueries.facets(wanted.query ?? ''),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })

  const rows = useMemo(() => {
    const byIndex = new Map<number, DeviceResponseDto>()
    answers.data.forEach((page, slot) =>
      page?.items.forEach((device, offset) => byIndex.set(pages[slot]! * pageSize + offset, device)),
    )
    return byIndex
    // `pages` is a new array in every render; its first item and length identify it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [answers.data, pages[0], pages.length])

  return {
    rows,
    total,
    facets,
    problems: (shown === requested && latest?.problems) || [],
    isPending: !latest && !first.error,
    isStale: shown !== requested,
    error: latest ? null : (first.error ?? answers.error),
    hasDevices: latest?.anyDevicesForUser ?? true,
    orderedAt: isMoving ? latest?.orderedAt : undefined,
    sortAgain: () => setOrder(Date.now()),
    refresh: () => void invalidate(['devices', 'page']),
  }
}
