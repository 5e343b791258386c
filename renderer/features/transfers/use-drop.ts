import { useRef, useState, type DragEvent } from 'react'
import { hasFiles } from '../../components/stray-drops.ts'

/**
 * Drag-and-drop handlers of an element. `handle` returns the destination while dragging, and gets the data on drop;
 * `onto` is the path of the row under the pointer.
 */
export function useDrop(
  handle: (dropped: DataTransfer | undefined, onto: string | undefined) => string | void | undefined,
) {
  const [isOver, setIsOver] = useState(false)
  const [target, setTarget] = useState<string>()
  /** Counts nested elements, since entering a child fires before leaving its parent. */
  const depth = useRef(0)

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
        const destination = handle(undefined, ontoOf(event)) ?? undefined
        setTarget(destination)
        event.dataTransfer.dropEffect = destination === undefined ? 'none' : 'copy'
      }),
      onDrop: ofFiles((event) => {
        end()
        handle(event.dataTransfer, ontoOf(event))
      }),
    },
  }
}
