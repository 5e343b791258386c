import { Drawer } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import type { Entry } from '../../api/files.ts'
import { rowHeights, usePreference } from '../../styles/preferences.ts'
import * as t from '../../texts.ts'
import classes from './files.module.css'
import { FolderTree } from './folder-tree.tsx'
import { focusFiles } from './page-files.ts'

/** Minimum window width for the tree beside the list. */
const roomForTree = '(min-width: 640px)'

/** Beside the list if the window has room, else over it until a folder is opened. */
export interface TreePlace {
  isBeside: boolean
  isShown: boolean
  toggle: () => void
  /** Closes a tree that covers the list. */
  leave: () => void
}

export function useTreePlace(): TreePlace {
  const isBeside = useMediaQuery(roomForTree, true, { getInitialValueInEffect: false })
  const [isWanted, setIsWanted] = usePreference('files.tree', true)
  const [isOver, setIsOver] = useState(false)
  const leave = () => setIsOver(false)
  return isBeside
    ? { isBeside, isShown: isWanted, toggle: () => setIsWanted(!isWanted), leave }
    : { isBeside, isShown: isOver, toggle: () => setIsOver(!isOver), leave }
}

interface FolderPaneProps {
  roots: readonly Entry[]
  showsHidden: boolean
  place: TreePlace
}

/** Tree of the folders at its place. */
export function FolderPane({ place: { isBeside, isShown, leave }, ...folders }: FolderPaneProps) {
  if (!isBeside) {
    return (
      <Drawer
        opened={isShown}
        onClose={leave}
        title={t.files.tree}
        size={300}
        closeButtonProps={{ 'aria-label': t.common.close }}
        overlayProps={{ backgroundOpacity: 0.4 }}
        // The rows of the folder, whether another was opened or not.
        returnFocus={false}
        onExitTransitionEnd={focusFiles}
        classNames={{ content: classes.drawer, body: classes.drawerBody }}
      >
        <FolderTree {...folders} rowHeight={rowHeights.comfortable} />
      </Drawer>
    )
  }
  return (
    isShown && (
      <aside className={classes.side} aria-label={t.files.tree}>
        <FolderTree {...folders} rowHeight={rowHeights.compact - 8} />
      </aside>
    )
  )
}
