import { useState, type DragEvent, type PointerEvent } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import { isWithin, parentOf } from '../../api/device-path.ts'
import { offerDragOut, prepareDragOut } from './drag-out.ts'

/** Marks a drag of entries of the list; other pages cannot read what is dragged. */
const dragType = 'application/x-farhand-entries'

interface EntryDragOptions {
  entries: readonly Entry[]
  picked: ReadonlySet<string>
  /** Undefined if the user may not move files here. */
  onDrop: ((kind: 'copy' | 'move', entries: readonly Entry[], target: string) => void) | undefined
  /** Device to download from by a drag out of the page; undefined if the user may not. */
  source: FilePlace | undefined
}

interface Drag {
  entries: readonly Entry[]
  target: string | undefined
  isCopy: boolean
}

const pathAt = ({ target }: Pick<DragEvent, 'target'>, selector: string, name: 'path' | 'folderPath') =>
  target instanceof Element ? target.closest<HTMLElement>(selector)?.dataset[name] : undefined

/** Folder under the pointer: a row of the list or of the tree. */
const folderAt = (event: DragEvent) =>
  pathAt(event, '[data-path][data-folder]', 'path') ?? pathAt(event, '[data-folder-path]', 'folderPath')

/** Drag-and-drop of entries onto folders of the list and the tree. Ctrl copies. */
export function useEntryDrag({ entries, picked, onDrop, source }: EntryDragOptions) {
  const [drag, setDrag] = useState<Drag>()
  const handleStart = (event: DragEvent) => {
    const path = pathAt(event, '[data-path]', 'path')
    const entry = entries.find(({ fullPath }) => fullPath === path)
    if (!entry || !(onDrop ?? source)) {
      event.preventDefault()
      return
    }
    const dragged = picked.has(entry.fullPath) ? entries.filter(({ fullPath }) => picked.has(fullPath)) : [entry]
    event.dataTransfer.setData(dragType, '')
    if (source && dragged.length === 1) {
      offerDragOut(event.dataTransfer, source, entry)
    }
    event.dataTransfer.effectAllowed = 'copyMove'
    setDrag({ entries: dragged, target: undefined, isCopy: false })
  }
  const handleOver = (event: DragEvent) => {
    if (!drag || !event.dataTransfer.types.includes(dragType)) {
      return
    }
    event.preventDefault()
    const folder = folderAt(event)
    const isCopy = event.ctrlKey
    const canTake =
      onDrop !== undefined &&
      folder !== undefined &&
      folder !== '' &&
      drag.entries.every(
        ({ fullPath, isDirectory }) =>
          (isCopy || parentOf(fullPath) !== folder) && !(isDirectory && isWithin(folder, fullPath)),
      )
    const target = canTake ? folder : undefined
    event.dataTransfer.dropEffect = target === undefined ? 'none' : isCopy ? 'copy' : 'move'
    if (target !== drag.target || isCopy !== drag.isCopy) {
      setDrag({ ...drag, target, isCopy })
    }
  }
  const end = () => setDrag(undefined)
  const handleDrop = (event: DragEvent) => {
    if (drag && event.dataTransfer.types.includes(dragType)) {
      event.preventDefault()
      if (drag.target !== undefined) {
        onDrop?.(drag.isCopy ? 'copy' : 'move', drag.entries, drag.target)
      }
      end()
    }
  }
  const handlePress = (event: PointerEvent) => {
    if (source && event.button === 0 && pathAt(event, '[data-path]', 'path') !== undefined) {
      void prepareDragOut()
    }
  }
  return {
    drag,
    handlers: {
      onPointerDown: handlePress,
      onDragStart: handleStart,
      onDragOver: handleOver,
      onDrop: handleDrop,
      onDragEnd: end,
    },
  }
}
