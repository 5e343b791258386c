import { useEffect } from 'react'
import { useLocation } from 'react-router'

/**
 * Scrolls to the section that the fragment of the address names and focuses its first field, once the section is there;
 * not after the person pressed a key or clicked elsewhere.
 */
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
        stop()
      }
    })
    const stop = () => {
      observer.disconnect()
      document.removeEventListener('keydown', stop, true)
      document.removeEventListener('pointerdown', stop, true)
    }
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('keydown', stop, true)
    document.addEventListener('pointerdown', stop, true)
    return stop
  }, [hash, key])
}
