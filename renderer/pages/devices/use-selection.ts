import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { deviceQueries, type DeviceSearch } from '../../api/device-queries.ts'
import { queryClient } from '../../api/query-client.ts'

interface ListedDevices {
  /** Loaded devices, by position. */
  rows: ReadonlyMap<number, DeviceResponseDto>
  /** Number of devices in the search, loaded or not. */
  total: number
}

/**
 * Selected devices that the search or filter hides. Devices seen in the current search are not hidden; the server is
 * queried only for others, and only if the list is not fully loaded.
 */
function useHidden(search: DeviceSearch, { rows, total }: ListedDevices, selected: readonly DeviceResponseDto[]) {
  const key = search.query ?? ''
  const seen = useRef({ key, ids: new Set<string>() })
  if (seen.current.key !== key) {
    seen.current = { key, ids: new Set() }
  }
  const loaded = new Set([...rows.values()].map(({ id }) => id))
  loaded.forEach((id) => seen.current.ids.add(id))
  const isWhole = rows.size >= total
  const isAsked = !isWhole && selected.some(({ id }) => !seen.current.ids.has(id))
  const { data } = useQuery({ ...deviceQueries.all(search), enabled: isAsked })
  const found = useMemo(() => new Set(data?.map(({ id }) => id)), [data])
  if (isWhole) {
    return selected.filter(({ id }) => !loaded.has(id))
  }
  return isAsked && data ? selected.filter(({ id }) => !seen.current.ids.has(id) && !found.has(id)) : []
}

/** Selected devices, which stay selected while the list is searched or sorted. */
export interface Selection {
  selected: ReadonlyMap<string, DeviceResponseDto>
  /** Selected devices that the list does not contain. */
  hidden: readonly DeviceResponseDto[]
  /** Share of the list that is selected. */
  share: 'none' | 'some' | 'all'
  /** Toggles one device, or selects the range from the previous one. */
  toggle: (device: DeviceResponseDto, index: number, isRange: boolean) => void
  add: (devices: Iterable<DeviceResponseDto>) => void
  /** Selects the loaded rows; `useSelectAll` loads the others. */
  selectLoaded: () => void
  /** Selects the loaded rows, or deselects this list's devices if all loaded ones are selected. */
  toggleLoaded: () => void
  dropHidden: () => void
  clear: () => void
  drop: (ids: readonly string[]) => void
}

export function useSelection(search: DeviceSearch, listed: ListedDevices): Selection {
  const { rows, total } = listed
  const [selected, setSelected] = useState<ReadonlyMap<string, DeviceResponseDto>>(new Map())
  const lastIndex = useRef<number | undefined>(undefined)
  const currentRows = useRef(rows)
  currentRows.current = rows
  const hidden = useHidden(search, listed, [...selected.values()])
  const shownCount = selected.size - hidden.length

  const toggle = useCallback((device: DeviceResponseDto, index: number, isRange: boolean) => {
    const from = isRange ? (lastIndex.current ?? index) : index
    lastIndex.current = index
    setSelected((before) => {
      const after = new Map(before)
      if (from === index && after.delete(device.id)) {
        return after
      }
      for (let each = Math.min(from, index); each <= Math.max(from, index); each++) {
        const between = currentRows.current.get(each)
        if (between) {
          after.set(between.id, between)
        }
      }
      return after
    })
  }, [])
  const add = (devices: Iterable<DeviceResponseDto>) =>
    setSelected((before) => new Map([...before, ...[...devices].map((device) => [device.id, device] as const)]))
  const keep = (devices: readonly DeviceResponseDto[]) =>
    setSelected(new Map(devices.map((device) => [device.id, device])))

  return {
    selected,
    hidden,
    share: shownCount === 0 ? 'none' : shownCount >= total ? 'all' : 'some',
    toggle,
    add,
    selectLoaded: () => add(rows.values()),
    toggleLoaded: () => ([...rows.values()].every(({ id }) => selected.has(id)) ? keep(hidden) : add(rows.values())),
    dropHidden: () => keep([...selected.values()].filter((device) => !hidden.includes(device))),
    clear: () => setSelected(new Map()),
    drop: (ids) => setSelected((before) => new Map([...before].filter(([id]) => !ids.includes(id)))),
  }
}

/** Selects all devices of a search, including pages that are not loaded. */
export function useSelectAll(search: DeviceSearch, selection: Selection) {
  return useMutation({
    mutationFn: () => queryClient.fetchQuery({ ...deviceQueries.all(search), staleTime: 0 }),
    onSuccess: selection.add,
  })
}
