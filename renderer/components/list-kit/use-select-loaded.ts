import { useEffect, useRef } from 'react'

/**
 * Selects the loaded rows. While the rows still belong to the previous search, `select` waits for those of the present one, as long
 * as the list keeps the focus and until `cancel`.
 */
export function useSelectLoaded(isReady: boolean, selectLoaded: (() => void) | undefined) {
  const isAwaited = useRef(false)
  useEffect(() => {
    if (isReady && isAwaited.current) {
      isAwaited.current = false
      if (document.activeElement?.role === 'grid') {
        selectLoaded?.()
      }
    }
  })
  return {
    select: () => {
      isAwaited.current = !isReady
      if (isReady) {
        selectLoaded?.()
      }
    },
    cancel: () => void (isAwaited.current = false),
  }
}
