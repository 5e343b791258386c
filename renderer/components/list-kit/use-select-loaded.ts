import { useEffect, useRef } from 'react'

/**
 * Returns a function that selects the loaded rows. While the rows still belong to the previous search, it waits for those of the
 * present one, as long as the list keeps the focus.
 */
export function useSelectLoaded(isReady: boolean, selectLoaded: (() => void) | undefined): () => void {
  const isAwaited = useRef(false)
  useEffect(() => {
    if (isReady && isAwaited.current) {
      isAwaited.current = false
      if (document.activeElement?.role === 'grid') {
        selectLoaded?.()
      }
    }
  })
  return () => {
    isAwaited.current = !isReady
    if (isReady) {
      selectLoaded?.()
    }
  }
}
