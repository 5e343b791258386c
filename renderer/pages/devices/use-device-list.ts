import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { queries, type DeviceSearch } from '../../api/queries.ts'

const pageSize = 100
const refreshMs = 10_000

/** First and last page that rows on screen are of. */
export interface PageRange {
  first: number
  last: number
}

/** Rows on either side of the screen that are loaded before they are scrolled to. */
const aheadRows = 30

/** Pages that rows and what is near them are of. */
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
 * The devices of a search, by position. Only the pages on screen are asked for and refreshed; while a new search has
 * not answered yet, the previous one stays.
 */
export function useDeviceList(wanted: DeviceSearch, range: PageRange, isMoving: boolean) {
  const client = useQueryClient()
  const [order, setOrder] = useState(0)
  const asked = useMemo(() => ({ search: wanted, heldOrder: isMoving ? order : undefined }), [wanted, isMoving, order])
  const [shown, setShown] = useState(asked)
  const [total, setTotal] = useState(0)
  const pageQuery = ({ search, heldOrder }: typeof asked, page: number) => ({
    ...queries.devicePage(search, { page, pageSize, heldOrder }),
    refetchInterval: refreshMs,
  })

  const first = useQuery(pageQuery(asked, 0))
  if (shown !== asked && first.data) {
    setShown(asked)
  }
  const pages = existingPages(range, total)
  const answers = useQueries({
    queries: pages.map((page) => pageQuery(shown, page)),
    combine: (results) => ({
      data: results.map(({ data }) => data),
      error: results.find(({ error }) => error)?.error ?? null,
    }),
  })
  const latest = answers.data.find((page) => page) ?? (shown === asked ? first.data : undefined)
  if (latest && latest.totalItems !== total) {
    setTotal(latest.totalItems)
  }

  // Counts of the whole search without its filter, for the chips and for what a filter hides.
  const unfiltered = useMemo(
    () => ({ searchText: wanted.searchText, filterDefinitions: [], sortDefinitions: [] }),
    [wanted],
  )
  const { data: counts } = useQuery({
    ...queries.devicePage(unfiltered, { page: 0, pageSize: 1 }),
    refetchInterval: refreshMs,
  })

  const rows = useMemo(() => {
    const byIndex = new Map<number, DeviceResponseDto>()
    answers.data.forEach((page, slot) =>
      page?.items.forEach((device, offset) => byIndex.set(pages[slot]! * pageSize + offset, device)),
    )
    return byIndex
    // `pages` is made anew by every render; its ends say all about it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [answers.data, pages[0], pages.length])

  return {
    rows,
    total,
    counts,
    isPending: !latest && !first.error,
    isStale: shown !== asked,
    /** Nothing can be shown because of it. */
    error: latest ? null : (first.error ?? answers.error),
    hasDevices: latest?.anyDevicesForUser ?? counts?.anyDevicesForUser ?? true,
    /** Moment of the order that is held, in ms since the epoch; undefined for an order that does not move. */
    orderedAt: isMoving ? latest?.orderedAt : undefined,
    sortAgain: () => setOrder(Date.now()),
    refresh: () => void client.invalidateQueries({ queryKey: ['devices', 'page'] }),
  }
}
