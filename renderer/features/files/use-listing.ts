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

/** What is on screen: the drives of the device, or what the folder holds that the address names. */
export function useListing({ place, isOnline, order, showsHidden, filter }: ListingOptions) {
  const client = useQueryClient()
  const { deviceId } = place
  const roots = useQuery({ ...fileQueries.roots(place), enabled: isOnline })
  const [onlyRoot] = roots.data?.length === 1 ? roots.data : []
  const history = useFolder(roots.data && (onlyRoot?.fullPath ?? ''))
  const folder = history.folder ?? ''
  const list = useEntries({ place, folder: history.folder, isOnline, order, showsHidden, filter })
  const drives = useMemo(() => inOrder(roots.data ?? none, order), [roots.data, order])

  // What was away is asked again as soon as it is back.
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
    /** How many entries are left out. */
    hidden: isDrives ? 0 : list.hidden,
    filtered: isDrives ? 0 : list.filtered,
    /** All of it has come; `isPartial`: some has. */
    isComplete,
    isPartial: listed?.isPartial === true,
    isTruncated: listed?.isTruncated === true,
    /** Whether the folder is there; undefined: not known yet. */
    isThere: isComplete ? (listed?.isThere ?? true) : undefined,
    /** Why it is not, or not up to date. */
    error: query.error,
    startError: history.folder === undefined ? roots.error : null,
    isBusy: query.isFetching,
    /** When it was told, in ms since the epoch. */
    at: isDrives ? roots.dataUpdatedAt : (listed?.at ?? 0),
    refresh() {
      void roots.refetch()
      refreshFolder(client, deviceId, folder)
    },
  }
}
