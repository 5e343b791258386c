import { useCallback, useLayoutEffect, useRef, type UIEvent } from 'react'

/** Distance from the end at which new content still scrolls into view, in CSS pixels. */
const nearEnd = 40

/** Properties of a scrolling element whose end stays in view, also at another width, unless the user scrolled away from it. */
export function useStayAtEnd(content: unknown) {
  const element = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const stayAtEnd = useCallback(() => {
    if (element.current && isAtEnd.current) {
      element.current.scrollTop = element.current.scrollHeight
    }
  }, [])
  useLayoutEffect(stayAtEnd, [stayAtEnd, content])
  const ref = useCallback(
    (node: HTMLElement | null) => {
      element.current = node
      const observer = new ResizeObserver(stayAtEnd)
      if (node) {
        observer.observe(node)
      }
      return () => observer.disconnect()
    },
    [stayAtEnd],
  )
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd
  }
  return { ref, onScroll }
}
