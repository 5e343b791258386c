import { useCallback, useState } from 'react'

/**
 * Width of an element in px. Known at its first paint, unlike that of Mantine's `useElementSize`: columns and buttons
 * that do not fit would be drawn for a moment.
 */
export function useWidth() {
  const [width, setWidth] = useState(0)
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) {
      return undefined
    }
    const measure = () => setWidth(element.offsetWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
