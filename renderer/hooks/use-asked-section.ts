import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** Scrolls to the section that the fragment of the address names and focuses its first field, once the section is there. */
export function useAskedSection() {
  const { hash, key } = useLocation()
  useEffect(() => {
    const id = hash.slice(1)
    const show = () => {
      const section = id === '' ? null : document.getElementById(id)
      section?.scrollIntoView({ block: 'start' })
      section?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true })
      return section !== null
    }
    if (id === '' || show()) {
      return
    }
    const observer = new MutationObserver(() => {
      if (show()) {
        observer.disconnect()
      }
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [hash, key])
}
