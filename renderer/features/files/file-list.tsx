import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useLayoutEffect, useRef, type ReactElement } from 'react'
import { Checkbox, Menu } from '@mantine/core'
import { IconArrowDown, IconArrowUp, type Icon } from '@tabler/icons-react'
import type { Entry } from '../../api/files.ts'
import { PrintedPart } from '../../components/list-kit/virtual-list.tsx'
import { useDrawnRows } from '../../hooks/use-drawn-rows.ts'
import { isUsable } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { rowHeights, useDensity } from '../../styles/preferences.ts'
import { sortColumns, type SortOrder, type SortColumn } from './entry-order.ts'
import classes from './file-list.module.css'
import { FileRow } from './file-row.tsx'
import { usePageFiles } from './page-files.ts'
import { cursorIndex, moveTo, pickAll, pickNone, type Selection } from './selection.ts'
import { useListKeys } from './use-list-keys.ts'
import { useListPointer } from './use-list-pointer.ts'
import { menuFolderActions, offeredEntryActions, pasteAction } from './actions.ts'

interface ListHeaderProps {
  order: SortOrder
  onSort: (order: SortOrder) => void
  picked: 'none' | 'some' | 'all'
  onPickAll: () => void
}

/** Columns that sort in descending order first. */
const descendingFirst: readonly SortColumn[] = ['size', 'changed']

const ListHeader = ({ order, onSort, picked, onPickAll }: ListHeaderProps) => (
  <div className={classes.header} role="row" aria-rowindex={1}>
    <div className={classes.check} role="columnheader">
      <Checkbox
        size="xs"
        aria-label={t.files.selectAll}
        checked={picked === 'all'}
        indeterminate={picked === 'some'}
        onChange={onPickAll}
      />
    </div>
    {sortColumns.map((column) => {
      const isSorted = order.column === column
      const Arrow = order.isDescending ? IconArrowDown : IconArrowUp
      return (
        <div
          key={column}
          className={classes[column]}
          role="columnheader"
          aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
        >
          <button
            type="button"
            className={classes.sort}
            title={t.files.sortBy(t.files[column])}
            onClick={() =>
              onSort({ column, isDescending: isSorted ? !order.isDescending : descendingFirst.includes(column) })
            }
          >
            <span className="truncate">{t.files[column]}</span>
            {isSorted && <Arrow size={14} aria-hidden />}
          </button>
        </div>
      )
    })}
  </div>
)

interface MenuAction {
  name: string
  label: string
  icon?: Icon | undefined
  isDangerous?: boolean | undefined
  onClick: () => void
}

/** Actions of the context menu: for the selected entries, or for the folder if none is selected. */
function useMenuActions(entries: readonly Entry[]): MenuAction[] {
  const files = usePageFiles()
  const context = { entries, files }
  const ofEntries = offeredEntryActions(context).map((action) => ({ ...action, onClick: () => action.run(context) }))
  const ofFolder = (entries.length > 0 ? [pasteAction] : menuFolderActions)
    .filter((action) => isUsable(action, files))
    .map((action) => ({ ...action, onClick: () => action.run(files) }))
  return [...ofEntries, ...ofFolder]
}

/** Context menu of the list, with the same actions as the bar below the list. */
function RowMenu({ entries, children }: { entries: readonly Entry[]; children: ReactElement }) {
  const { folder } = usePageFiles()
  const [first] = entries
  const name = entries.length > 1 ? t.files.items(entries.length) : visibleName(first?.name ?? folder)
  return (
    <Menu width={220} position="bottom-start" returnFocus>
      <Menu.ContextMenu>{children}</Menu.ContextMenu>
      <Menu.Dropdown aria-label={first ? t.files.actions : t.files.folderActions}>
        <Menu.Label>
          <bdi className="truncate" style={{ display: 'block' }}>
            {name}
          </bdi>
        </Menu.Label>
        {useMenuActions(entries).map(({ name: key, label, icon: MenuIcon, isDangerous, onClick }) => (
          <Menu.Item
            key={key}
            color={isDangerous ? 'var(--danger)' : undefined}
            leftSection={MenuIcon && <MenuIcon size={16} />}
            onClick={onClick}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

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

/** Entries of the folder on screen, as virtual rows. */
export function FileList(props: FileListProps) {
  const { entries, ids, order, onSort, selection, onSelect, isBusy } = props
  const { folder, rename, download, held } = usePageFiles()
  const cut = new Set(held?.isCut ? held.entries.map(({ fullPath }) => fullPath) : [])
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
  const { items, isPrinting } = useDrawnRows(virtualizer)
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
        aria-label={t.files.listOf(visibleName(folder))}
        aria-rowcount={entries.length + 1}
        aria-multiselectable
        aria-activedescendant={cursor !== undefined && items.some(({ index }) => index === at) ? rowId(at) : undefined}
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
          {items.map(({ index, start }) => {
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
                  isCut={cut.has(entry.fullPath)}
                  canDrag={rename !== undefined || download !== undefined}
                />
              )
            )
          })}
        </div>
        {isPrinting && <PrintedPart count={items.length} total={entries.length} />}
      </div>
    </RowMenu>
  )
}
