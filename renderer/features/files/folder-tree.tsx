import { Skeleton } from '@mantine/core'
import { IconChevronDown, IconChevronRight, IconDeviceDesktop, IconFolder, IconServer2 } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { fileQueries, type Entry } from '../../api/files.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './folder-tree.module.css'
import { usePageFiles } from './page-files.ts'
import { ancestorsOf, flatten, type Branch } from './tree-nodes.ts'

interface FolderTreeProps {
  roots: readonly Entry[]
  showsHidden: boolean
  /** Height of a folder, in px. */
  rowHeight: number
}

/** Opened branches, cursor and keys of the tree. Subfolders are loaded when their folder is opened. */
function useTree({ roots, showsHidden }: Omit<FolderTreeProps, 'rowHeight'>) {
  const { place, folder, open } = usePageFiles()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [cursor, setCursor] = useState('')
  const [revealed, setRevealed] = useState<string>()

  // Opens the ancestors of the folder on screen.
  if (folder !== revealed && roots.length > 0) {
    setRevealed(folder)
    setCursor(folder)
    setOpened(new Set([...opened, ...ancestorsOf(folder, roots)]))
  }

  const paths = [...opened]
  const answers = useQueries({ queries: paths.map((path) => fileQueries.subfolders(place, path)) })
  const branches = new Map(
    paths.map((path, index): [string, Branch] => [
      path,
      { folders: answers[index]?.data, hasFailed: answers[index]?.isError === true },
    ]),
  )
  const nodes = flatten({ roots, opened, branches, showsHidden, current: folder })
  const at = Math.max(
    0,
    nodes.findIndex(({ path }) => path === cursor),
  )

  const setIsOpen = (path: string, isOpen: boolean) => {
    const next = new Set(opened)
    if (isOpen) {
      next.add(path)
    } else {
      next.delete(path)
    }
    setOpened(next)
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    const node = nodes[at]
    if (!node || event.ctrlKey || event.metaKey || event.altKey) {
      return
    }
    const go = (index: number) => () => setCursor(nodes[Math.min(nodes.length - 1, Math.max(0, index))]?.path ?? '')
    const parentIndex = nodes.slice(0, at).findLastIndex(({ depth }) => depth < node.depth)
    const keys: Record<string, () => void> = {
      ArrowDown: go(at + 1),
      ArrowUp: go(at - 1),
      Home: go(0),
      End: go(nodes.length - 1),
      ArrowRight: node.canOpen && !node.isOpen ? () => setIsOpen(node.path, true) : go(at + 1),
      ArrowLeft: node.isOpen ? () => setIsOpen(node.path, false) : go(parentIndex < 0 ? at : parentIndex),
      Enter: () => open(node.path),
      ' ': () => open(node.path),
    }
    const handle = keys[event.key]
    if (handle) {
      event.preventDefault()
      handle()
    } else if (event.key.length === 1 && !'/?'.includes(event.key)) {
      event.preventDefault()
      const later = [...nodes.slice(at + 1), ...nodes.slice(0, at + 1)]
      const found = later.find(({ name }) => name.toLowerCase().startsWith(event.key.toLowerCase()))
      setCursor(found?.path ?? cursor)
    }
  }
  return { nodes, at, isKnown: nodes[at]?.path === cursor, cursor, setCursor, setIsOpen, handleKeyDown }
}

/** Tree of the device's drives and folders. */
export function FolderTree({ rowHeight, ...props }: FolderTreeProps) {
  const { folder, open } = usePageFiles()
  const scroller = useRef<HTMLDivElement>(null)
  const domId = useId()
  const { nodes, at, isKnown, cursor, setCursor, setIsOpen, handleKeyDown } = useTree(props)

  const virtualizer = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const items = virtualizer.getVirtualItems()
  useEffect(() => {
    if (isKnown) {
      virtualizer.scrollToIndex(at)
    }
  }, [virtualizer, at, isKnown, cursor])

  return (
    <div
      ref={scroller}
      className={classes.tree}
      role="tree"
      aria-label={t.files.tree}
      aria-activedescendant={items.some(({ index }) => index === at) ? `${domId}-${at}` : undefined}
      tabIndex={0}
      data-autofocus
      onKeyDown={handleKeyDown}
    >
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }} role="presentation">
        {items.map(({ index, start }) => {
          const node = nodes[index]
          if (!node) {
            return null
          }
          const Icon = node.isAll ? IconDeviceDesktop : node.depth === 1 ? IconServer2 : IconFolder
          const Chevron = node.isOpen ? IconChevronDown : IconChevronRight
          return (
            // The tree handles the keys; its rows never have the focus.
            <div
              key={node.key}
              id={`${domId}-${index}`}
              className={classes.node}
              style={{ transform: `translateY(${start}px)`, height: rowHeight, paddingLeft: 6 + node.depth * 14 }}
              role="treeitem"
              aria-level={node.depth + 1}
              aria-expanded={node.canOpen ? node.isOpen : undefined}
              aria-selected={node.path === folder}
              data-cursor={index === at || undefined}
              data-folder-path={node.path}
              title={node.hasFailed ? t.files.treeFailed : visibleName(node.isAll ? t.files.drives : node.path)}
              onClick={() => {
                setCursor(node.path)
                open(node.path)
              }}
            >
              <span
                className={classes.chevron}
                onClick={(event) => {
                  event.stopPropagation()
                  setCursor(node.path)
                  setIsOpen(node.path, !node.isOpen)
                }}
              >
                {node.canOpen && <Chevron size={14} aria-hidden />}
              </span>
              <Icon size={16} stroke={1.5} aria-hidden />
              <bdi className="truncate">{node.isAll ? t.files.drives : visibleName(node.name)}</bdi>
              {node.isWaiting && <Skeleton height={8} width={24} ml={4} aria-hidden />}
            </div>
          )
        })}
      </div>
    </div>
  )
}
