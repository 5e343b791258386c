import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useLayoutEffect, useRef, type MouseEvent } from 'react'
import type { Entry } from '../../api/files.ts'
import { files as t } from '../../strings/en-files.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { rowHeights, useDensity } from '../../styles/preferences.ts'
import type { SortOrder } from './entry-order.ts'
import classes from './file-list.module.css'
import { FileRow } from './file-row.tsx'
import { ListHeader } from './list-header.tsx'
import { usePageFiles } from './page-files.ts'
import { RowMenu } from './row-menu.tsx'
import { cursorIndex, moveTo, pickAll, pickNone, toggle, type Selection } from './selection.ts'
import { useListKeys } from './use-list-keys.ts'

const headerHeight = 32

interface FileListProps {
  entries: readonly Entry[]
  ids: readonly string[]
  order: SortOrder
  onSort: (order: SortOrder) => void
  selection: Selection
  onSelect: (selection: Selection) => void
  isBusy: boolean
}

/** Pointer handlers of the rows. */
function useListPointer({ entries, ids, selection, onSelect }: FileListProps) {
  const { activate } = usePageFiles()
  const indexOf = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
    return row ? Number(row.dataset.index) : undefined
  }
  const handleClick = (event: MouseEvent) => {
    const index = indexOf(event)
    const id = index === undefined ? undefined : ids[index]
    if (index === undefined || id === undefined) {
      return
    }
    const isCheck = event.target instanceof Element && event.target.closest('[data-check]') !== null
    if (event.shiftKey) {
      onSelect(moveTo(selection, ids, index, 'range'))
    } else if (isCheck || event.ctrlKey || event.metaKey) {
      onSelect(toggle(selection, id))
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

/** Entries of the folder on screen, as virtual rows. */
export function FileList(props: FileListProps) {
  const { entries, ids, order, onSort, selection, onSelect, isBusy } = props
  const { folder } = usePageFiles()
  const [density] = useDensity()
  const rowHeight = rowHeights[density]
  const scroller = useRef<HTMLDivElement>(null)
  const domId = useId()
  const rowId = (index: number) => `${domId}-${index}`

  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: headerHeight,
    overscan: 8,
  })
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])

  // Keeps the current row visible; a folder opens at its top, or where the user was before.
  const at = cursorIndex(selection, ids)
  const { cursor } = selection
  useEffect(() => virtualizer.scrollToIndex(at), [virtualizer, at, cursor, folder])

  const openMenu = (index: number) => {
    const row = document.getElementById(rowId(index))
    const box = row?.getBoundingClientRect()
    const place = box && { clientX: box.left + 72, clientY: box.bottom - 8 }
    row?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }))
  }
  const pageRows = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headerHeight) / rowHeight) - 1)
  const handleKeyDown = useListKeys({ entries, ids, selection, onSelect, pageRows, openMenu })

  const pointer = useListPointer(props)
  const isAll = entries.length > 0 && selection.picked.size >= entries.length

  return (
    <RowMenu entries={entries.filter(({ fullPath }) => selection.picked.has(fullPath))}>
      <div
        ref={scroller}
        className={classes.scroller}
        role="grid"
        aria-label={t.listOf(visibleName(folder))}
        aria-rowcount={entries.length + 1}
        aria-multiselectable
        aria-activedescendant={entries.length > 0 && selection.cursor !== undefined ? rowId(at) : undefined}
        aria-busy={isBusy}
        data-files-list
        tabIndex={0}
        onKeyDown={handleKeyDown}
        {...pointer}
        onFocus={() => {
          if (selection.cursor === undefined && entries.length > 0) {
            onSelect(moveTo(selection, ids, 0, 'none'))
          }
        }}
      >
        <ListHeader
          order={order}
          onSort={onSort}
          picked={selection.picked.size === 0 ? 'none' : isAll ? 'all' : 'some'}
          onPickAll={() => onSelect(isAll ? pickNone(selection) : pickAll(selection, ids))}
        />
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }} role="rowgroup">
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const entry = entries[index]
            return (
              entry && (
                <FileRow
                  key={entry.fullPath}
                  entry={entry}
                  id={rowId(index)}
                  index={index}
                  top={start}
                  isCursor={entry.fullPath === selection.cursor}
                  isPicked={selection.picked.has(entry.fullPath)}
                />
              )
            )
          })}
        </div>
      </div>
    </RowMenu>
  )
}
