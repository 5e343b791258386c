import { useEffect, useRef, useState, type DragEvent } from 'react'

const hasFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }) =>
  dataTransfer?.types.includes('Files') === true

/**
 * Files that are dragged over an element and dropped on it. `handle` is asked where they would go, and given what was
 * dropped; `onto` is the id of the row under the pointer.
 */
export function useDrop(
  isShown: boolean,
  handle: (dropped: DataTransfer | undefined, onto: string | undefined) => string | void | undefined,
) {
  const [isOver, setIsOver] = useState(false)
  const [target, setTarget] = useState<string>()
  /** Entering a child comes before leaving its parent. */
  const depth = useRef(0)

  // A file that is dropped beside the list would be opened in place of the page.
  useEffect(() => {
    if (!isShown) {
      return
    }
    const refuse = (event: globalThis.DragEvent) => {
      if (hasFiles(event)) {
        event.preventDefault()
      }
    }
    addEventListener('dragover', refuse)
    addEventListener('drop', refuse)
    return () => {
      removeEventListener('dragover', refuse)
      removeEventListener('drop', refuse)
    }
  }, [isShown])

  const ontoOf = ({ target: element }: DragEvent) =>
    element instanceof Element ? element.closest<HTMLElement>('[data-path]')?.dataset.path : undefined
  const end = () => {
    depth.current = 0
    setIsOver(false)
  }
  const ofFiles = (work: (event: DragEvent) => void) => (event: DragEvent) => {
    if (hasFiles(event)) {
      event.preventDefault()
      work(event)
    }
  }
  return {
    isOver,
    target: isOver ? target : undefined,
    handlers: {
      onDragEnter: ofFiles(() => {
        depth.current++
        setIsOver(true)
      }),
      onDragLeave: ofFiles(() => {
        if (--depth.current <= 0) {
          end()
        }
      }),
      onDragOver: ofFiles((event) => {
        const goesTo = handle(undefined, ontoOf(event)) ?? undefined
        setTarget(goesTo)
        event.dataTransfer.dropEffect = goesTo === undefined ? 'none' : 'copy'
      }),
      onDrop: ofFiles((event) => {
        end()
        handle(event.dataTransfer, ontoOf(event))
      }),
    },
  }
}
