import { useLayoutEffect, useRef, type RefObject } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'

interface ScrollMemoryOptions {
  scroller: RefObject<HTMLDivElement | null>
  rows: ReadonlyMap<number, DeviceResponseDto>
  /** First row on screen. */
  first: number
  rowHeight: number
  /** Rows on screen went down by this many positions in the list; negative for up. */
  onShift: (shift: number) => void
}

/** Scroll offsets by history entry, for coming back. */
const offsets = new Map<string, number>()

/** Comes back to where the list was, and holds rows in their places while others are put in above them. */
export function useScrollMemory({ scroller, rows, first, rowHeight, onShift }: ScrollMemoryOptions) {
  const { key } = useLocation()
  const isReturn = useNavigationType() === 'POP'

  useLayoutEffect(() => {
    const element = scroller.current
    if (element && isReturn) {
      element.scrollTop = offsets.get(key) ?? 0
    }
    // Only when the list appears: later steps in the history keep the offset that they find.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  // Read once when leaving: read at every scroll it would make the browser lay out the page each time.
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
    // Looked at when rows change, with whatever the rest is then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rows, first])
}
