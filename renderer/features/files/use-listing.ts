import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { fileQueries, refreshFolder, type Entry, type FilePlace } from '../../api/files.ts'
import { inOrder, type SortOrder } from './entry-order.ts'
import { useEntries } from './use-entries.ts'
import { useFolder } from './use-folder.ts'

const none: readonly Entry[] = []

interface ListingOptions {
  place: FilePlace
  isOnline: boolean
  order: SortOrder
  showsHidden: boolean
  filter: string
}

/** Listing on screen: the device's drives, or the folder in the address. */
export function useListing({ place, isOnline, order, showsHidden, filter }: ListingOptions) {
  const client = useQueryClient()
  const { deviceId } = place
  const roots = useQuery({ ...fileQueries.roots(place), enabled: isOnline })
  const [onlyRoot] = roots.data?.length === 1 ? roots.data : []
  const history = useFolder(roots.data && (onlyRoot?.fullPath ?? ''))
  const folder = history.folder ?? ''
  const list = useEntries({ place, folder: history.folder, isOnline, order, showsHidden, filter })
  const drives = useMemo(() => inOrder(roots.data ?? none, order), [roots.data, order])

  // Reloads the listing when the device is back online.
  useEffect(() => {
    if (isOnline) {
      void client.invalidateQueries({ queryKey: ['files', deviceId] })
    }
  }, [client, deviceId, isOnline])

  const isDrives = folder === ''
  const query = isDrives ? roots : list.query
  const listed = isDrives ? undefined : list.query.data
  const isComplete = isDrives ? roots.data !== undefined : listed !== undefined && !listed.isPartial
  return {
    history,
    folder,
    isDrives,
    roots: roots.data ?? none,
    entries: isDrives ? drives : list.entries,
    /** Number of hidden entries that are left out. */
    hidden: isDrives ? 0 : list.hidden,
    filtered: isDrives ? 0 : list.filtered,
    /** Whether all entries have arrived; `isPartial`: only some. */
    isComplete,
    isPartial: listed?.isPartial === true,
    isTruncated: listed?.isTruncated === true,
    /** Whether the folder exists; undefined while unknown. */
    isThere: isComplete ? (listed?.isThere ?? true) : undefined,
    /** Error of the last request, also when older entries are shown. */
    error: query.error,
    startError: history.folder === undefined ? roots.error : null,
    isBusy: query.isFetching,
    /** Time of the listing, in ms since the epoch. */
    at: isDrives ? roots.dataUpdatedAt : (listed?.at ?? 0),
    refresh() {
      void roots.refetch()
      refreshFolder(client, deviceId, folder)
    },
  }
}
