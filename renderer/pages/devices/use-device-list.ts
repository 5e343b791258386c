import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { queries, type DeviceSearch } from '../../api/queries.ts'

const pageSize = 100
const refreshMs = 10_000

/** Rows that are on screen. */
export interface RowRange {
  first: number
  last: number
}

const pagesOf = ({ first, last }: RowRange, total: number) => {
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1)
  const from = Math.min(lastPage, Math.floor(first / pageSize))
  const to = Math.min(lastPage, Math.floor(last / pageSize))
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/**
 * The devices of a search, by position. Only the pages on screen are asked for and refreshed; while a new search has
 * not answered yet, the previous one stays.
 */
export function useDeviceList(wanted: DeviceSearch, range: RowRange, isMoving: boolean) {
  const client = useQueryClient()
  const [shown, setShown] = useState(wanted)
  const [total, setTotal] = useState(0)
  const refetchInterval = isMoving ? (false as const) : refreshMs

  const first = useQuery(queries.devicePage(wanted, 0, pageSize))
  if (shown !== wanted && first.data) {
    setShown(wanted)
  }
  const pages = pagesOf(range, total)
  const answers = useQueries({
    queries: pages.map((page) => ({ ...queries.devicePage(shown, page, pageSize), refetchInterval })),
    combine: (results) => ({
      data: results.map(({ data }) => data),
      error: results.find(({ error }) => error)?.error ?? null,
      updatedAt: Math.max(...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    }),
  })
  const latest = answers.data.find((page) => page) ?? (shown === wanted ? first.data : undefined)
  if (latest && latest.totalItems !== total) {
    setTotal(latest.totalItems)
  }

  // Counts of the whole search without its filter, for the chips and for what a filter hides.
  const unfiltered = useMemo(() => ({ searchText: wanted.searchText, filterDefinitions: [], sortDefinitions: [] }), [wanted])
  const { data: counts } = useQuery({ ...queries.devicePage(unfiltered, 0, 1), refetchInterval: refreshMs })

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
    isStale: shown !== wanted,
    /** Nothing can be shown because of it. */
    error: latest ? null : (first.error ?? answers.error),
    hasDevices: latest?.anyDevicesForUser ?? counts?.anyDevicesForUser ?? true,
    updatedAt: answers.updatedAt,
    refresh: () => void client.invalidateQueries({ queryKey: ['devices', 'page'] }),
  }
}
