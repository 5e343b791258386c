import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { fileQueries, refreshFolder, type Entry, type FilePlace } from '../../api/files.ts'
import { inOrder, type SortOrder } from './entry-order.ts'
import { invalidate } from '../../api/query-client.ts'
import { onArrival } from '../transfers/upload.ts'
import { useTabIsShown } from '../../hooks/use-page-device.ts'

const settleMs = 400

/** Reloads folders that received files, debounced because uploads finish in quick succession. */
function useArrivals({ deviceId }: FilePlace) {
  useEffect(() => {
    const waiting = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onArrival((arrival) => {
      if (arrival.deviceId === deviceId) {
        waiting.add(arrival.folder)
        timer ??= setTimeout(() => {
          timer = undefined
          waiting.forEach((folder) => refreshFolder(deviceId, folder))
          waiting.clear()
        }, settleMs)
      }
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [deviceId])
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
function useEntries({ place, folder, isOnline, order, showsHidden, filter }: EntriesOptions) {
  useArrivals(place)
  const query = useQuery({
    ...fileQueries.folder(place, folder ?? ''),
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

/** Number of history entries since the first folder, stored in each entry's state. */
const stepOf = (state: unknown) =>
  typeof state === 'object' && state !== null && 'fileStep' in state ? Number(state.fileStep) : 0

/** Folders that the user has opened, as entries of the browser's history. */
interface FolderHistory {
  folder: string | undefined
  open: (path: string) => void
  back: (() => void) | undefined
  forward: (() => void) | undefined
}

/**
 * Folder in the address, else the last one on screen, else `start`. Empty for the list of drives; undefined while
 * unknown.
 */
function useFolder(start: string | undefined): FolderHistory {
  const isShown = useTabIsShown()
  const [query] = useSearchParams()
  const { state } = useLocation()
  const navigate = useNavigate()
  const inAddress = isShown ? (query.get('path') ?? undefined) : undefined
  const [last, setLast] = useState(inAddress)
  const folder = inAddress ?? last ?? start
  if (inAddress !== undefined && inAddress !== last) {
    setLast(inAddress)
  }
  const step = stepOf(state)
  const furthest = useRef(step)
  furthest.current = Math.max(furthest.current, step)

  useEffect(() => {
    if (isShown && inAddress === undefined && folder !== undefined) {
      void navigate({ search: `?${new URLSearchParams({ path: folder }).toString()}` }, { replace: true, state })
    }
  }, [isShown, inAddress, folder, navigate, state])

  return {
    folder,
    open(path) {
      if (path !== folder) {
        furthest.current = step + 1
        const search = `?${new URLSearchParams({ path }).toString()}`
        void navigate({ search }, { state: { fileStep: step + 1 } })
      }
    },
    back: step > 0 ? () => void navigate(-1) : undefined,
    forward: step < furthest.current ? () => void navigate(1) : undefined,
  }
}

const none: readonly Entry[] = []

type ListingOptions = Omit<EntriesOptions, 'folder'>

/** Listing on screen: the device's drives, or the folder in the address. */
export interface Listing {
  history: FolderHistory
  folder: string
  isDrives: boolean
  roots: readonly Entry[]
  entries: readonly Entry[]
  /** Number of hidden entries that are left out. */
  hidden: number
  /** Number of entries that the filter leaves out. */
  filtered: number
  /** Whether all entries have arrived; `isPartial`: only some. */
  isComplete: boolean
  isPartial: boolean
  isTruncated: boolean
  /** Whether the folder exists; undefined while unknown. */
  isThere: boolean | undefined
  /** Error of the last request, also when older entries are shown. */
  error: Error | null
  startError: Error | null
  isBusy: boolean
  /** Time of the listing, in ms since the epoch. */
  at: number
  refresh: () => void
}

export function useListing({ place, isOnline, order, showsHidden, filter }: ListingOptions): Listing {
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
      void invalidate(['files', deviceId])
    }
  }, [deviceId, isOnline])

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
    hidden: isDrives ? 0 : list.hidden,
    filtered: isDrives ? 0 : list.filtered,
    isComplete,
    isPartial: listed?.isPartial === true,
    isTruncated: listed?.isTruncated === true,
    isThere: isComplete ? (listed?.isThere ?? true) : undefined,
    error: query.error,
    startError: history.folder === undefined ? roots.error : null,
    isBusy: query.isFetching,
    at: isDrives ? roots.dataUpdatedAt : (listed?.at ?? 0),
    refresh() {
      void roots.refetch()
      refreshFolder(deviceId, folder)
    },
  }
}
