import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { fileQueries, refreshFolder, type FilePlace } from '../../api/files.ts'
import { onArrival } from '../transfers/upload.ts'
import { inOrder, type SortOrder } from './entry-order.ts'

const settleMs = 400

/** Reloads folders that received files, debounced because uploads finish in quick succession. */
function useArrivals({ deviceId }: FilePlace) {
  const client = useQueryClient()
  useEffect(() => {
    const waiting = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onArrival((arrival) => {
      if (arrival.deviceId === deviceId) {
        waiting.add(arrival.folder)
        timer ??= setTimeout(() => {
          timer = undefined
          waiting.forEach((folder) => refreshFolder(client, deviceId, folder))
          waiting.clear()
        }, settleMs)
      }
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, deviceId])
}

interface EntriesOptions {
  place: FilePlace
  /** Folder to list; no request is sent when undefined or empty. */
  folder: string | undefined
  isOnline: boolean
  order: SortOrder
  showsHidden: boolean
  filter: string
}

/** Entries of a folder, sorted and filtered, with the number of those left out. */
export function useEntries({ place, folder, isOnline, order, showsHidden, filter }: EntriesOptions) {
  const client = useQueryClient()
  useArrivals(place)
  const query = useQuery({
    ...fileQueries.folder(place, folder ?? '', client),
    enabled: isOnline && folder !== undefined && folder !== '',
  })
  const all = query.data?.entries
  const { column, isDescending } = order
  const sorted = useMemo(() => inOrder(all ?? [], { column, isDescending }), [all, column, isDescending])
  const unhidden = useMemo(
    () => (showsHidden ? sorted : sorted.filter(({ isHidden }) => !isHidden)),
    [sorted, showsHidden],
  )
  const entries = useMemo(() => {
    const wanted = filter.trim().toLowerCase()
    return wanted === '' ? unhidden : unhidden.filter(({ name }) => name.toLowerCase().includes(wanted))
  }, [unhidden, filter])
  return { query, entries, hidden: sorted.length - unhidden.length, filtered: unhidden.length - entries.length }
}
