import { useEffect, useRef } from 'react'

/** Ref of a button that gets the focus back once the field that it opened is removed with the focus in it. */
export function useReturnedFocus(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current && document.activeElement === document.body) {
      button.current?.focus()
    }
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}
