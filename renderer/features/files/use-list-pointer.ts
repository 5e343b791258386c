import type { MouseEvent } from 'react'
import type { Entry } from '../../api/files.ts'
import { usePageFiles } from './page-files.ts'
import { moveTo, toggle, type Selection } from './selection.ts'

interface ListPointerOptions {
  entries: readonly Entry[]
  ids: readonly string[]
  selection: Selection
  onSelect: (selection: Selection) => void
}

/** Whether a click was a tap: no finger double-clicks. */
const isTouch = ({ nativeEvent }: MouseEvent) =>
  nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch'

/** Pointer handlers of the rows: a tap opens a folder, whose check box selects it. */
export function useListPointer({ entries, ids, selection, onSelect }: ListPointerOptions) {
  const { activate, open } = usePageFiles()
  const indexOf = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
    return row ? Number(row.dataset.index) : undefined
  }
  const handleClick = (event: MouseEvent) => {
    const index = indexOf(event)
    const id = index === undefined ? undefined : ids[index]
    const entry = entries[index ?? -1]
    if (index === undefined || id === undefined || !entry) {
      return
    }
    const isCheck = event.target instanceof Element && event.target.closest('[data-check]') !== null
    if (event.shiftKey) {
      onSelect(moveTo(selection, ids, index, 'range'))
    } else if (isCheck || event.ctrlKey || event.metaKey) {
      onSelect(toggle(selection, id))
    } else if (entry.isDirectory && isTouch(event)) {
      open(entry.fullPath)
    } else {
      onSelect(moveTo(selection, ids, index, 'one'))
    }
  }
  const handleDoubleClick = (event: MouseEvent) => {
    const entry = entries[indexOf(event) ?? -1]
    const isCheck = event.target instanceof Element && event.target.closest('[data-check]') !== null
    if (entry && !isCheck) {
      activate(entry)
    }
  }
  const handleContextMenu = (event: MouseEvent) => {
    const index = indexOf(event)
    const id = index === undefined ? undefined : ids[index]
    if (index !== undefined && id !== undefined && !selection.picked.has(id)) {
      onSelect(moveTo(selection, ids, index, 'one'))
    }
  }
  return { onClick: handleClick, onDoubleClick: handleDoubleClick, onContextMenu: handleContextMenu }
}
