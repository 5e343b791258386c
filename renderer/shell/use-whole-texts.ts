import { useEffect } from 'react'

/** Gives a text that is cut off a tooltip with all of it, while the pointer is on it. */
export function useWholeTexts() {
  useEffect(() => {
    let shown: HTMLElement | undefined
    const handleOver = ({ target }: MouseEvent) => {
      const text = target instanceof Element ? target.closest<HTMLElement>('.truncate') : null
      if (shown && shown !== text) {
        shown.removeAttribute('title')
        shown = undefined
      }
      if (text && text !== shown && !text.title && text.scrollWidth > text.clientWidth) {
        shown = text
        text.title = text.textContent
      }
    }
    document.addEventListener('mouseover', handleOver)
    return () => document.removeEventListener('mouseover', handleOver)
  }, [])
}
