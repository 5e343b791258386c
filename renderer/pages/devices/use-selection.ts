import { useCallback, useRef, useState } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'

/** Devices that are picked for an action; kept while the list under them is searched or sorted anew. */
export function useSelection(rows: ReadonlyMap<number, DeviceResponseDto>) {
  const [selected, setSelected] = useState<ReadonlyMap<string, DeviceResponseDto>>(new Map())
  const lastIndex = useRef<number | undefined>(undefined)
  const currentRows = useRef(rows)
  currentRows.current = rows

  /** Picks or drops one device; a range goes from the one before to this one. */
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

  return {
    selected,
    toggle,
    /** Those that are loaded; `useSelectAll` fetches the others. */
    selectLoaded: () => setSelected(new Map([...rows.values()].map((device) => [device.id, device]))),
    add: (devices: readonly DeviceResponseDto[]) =>
      setSelected((before) => new Map([...before, ...devices.map((device) => [device.id, device] as const)])),
    clear: () => setSelected(new Map()),
    drop: (ids: readonly string[]) => setSelected((before) => new Map([...before].filter(([id]) => !ids.includes(id)))),
  }
}

export type Selection = ReturnType<typeof useSelection>
