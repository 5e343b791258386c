import type { Virtualizer } from '@tanstack/react-virtual'
import { useIsPrinting } from './use-is-printing.ts'

/** Rows on paper: more would keep the browser busy for minutes. */
const mostPrinted = 5_000

/** Rows of a virtual list to draw: those near the screen; on paper those from the first, which follow each other there. */
export function useDrawnRows(virtualizer: Virtualizer<HTMLDivElement, Element>) {
  const isPrinting = useIsPrinting()
  const { count, getItemKey } = virtualizer.options
  const items = isPrinting
    ? Array.from({ length: Math.min(count, mostPrinted) }, (_, index) => ({ index, start: 0, key: getItemKey(index) }))
    : virtualizer.getVirtualItems()
  return { items, isPrinting }
}
