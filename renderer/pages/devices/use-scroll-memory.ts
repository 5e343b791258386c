import { useLayoutEffect, useRef, type RefObject } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'

interface ScrollMemoryOptions {
  scroller: RefObject<HTMLDivElement | null>
  rows: ReadonlyMap<number, DeviceResponseDto>
  /** First visible row. */
  first: number
  rowHeight: number
  /** Called when the visible rows moved down by this number of positions; negative for up. */
  onShift: (shift: number) => void
}

/** Scroll offsets by history entry, restored when the user returns. */
const offsets = new Map<string, number>()

/** Restores the scroll offset, and keeps visible rows in place when rows are inserted above. */
export function useScrollMemory({ scroller, rows, first, rowHeight, onShift }: ScrollMemoryOptions) {
  const { key } = useLocation()
  const isReturn = useNavigationType() === 'POP'

  useLayoutEffect(() => {
    const element = scroller.current
    if (element && isReturn) {
      element.scrollTop = offsets.get(key) ?? 0
    }
    // Runs on mount only: later history entries keep the current offset.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  // Read once when leaving: reading at every scroll would force a layout each time.
  useLayoutEffect(() => {
    const element = scroller.current
    return () => void offsets.set(key, element?.scrollTop ?? 0)
  }, [key, scroller])

  const anchor = useRef<{ id: string; index: number } | undefined>(undefined)
  useLayoutEffect(() => {
    const element = scroller.current
    const held = anchor.current
    if (element && held && rows.get(held.index)?.id !== held.id && element.scrollTop > 0) {
      const [index] = [...rows].find(([, { id }]) => id === held.id) ?? []
      if (index !== undefined && index !== held.index) {
        element.scrollTop += (index - held.index) * rowHeight
        onShift(index - held.index)
      }
    }
    const device = rows.get(first)
    anchor.current = device && { id: device.id, index: first }
    // Runs when rows change, with the latest values of the rest.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rows, first])
}
