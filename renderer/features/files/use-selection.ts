import { useState } from 'react'
import { among, noSelection, pickNone, type Selection } from './selection.ts'

/** Selection in the folder on screen. Returning to a folder restores its cursor. */
export interface FolderSelection {
  value: Selection
  set: (value: Selection) => void
  clear: () => void
  pick: (id: string) => void
  /** Saves the cursor of the folder that is left, and sets the cursor of the next one. */
  leave: (from: string, to: string, cursor: string | undefined) => void
}

export function useSelection(folder: string, ids: readonly string[], isComplete: boolean): FolderSelection {
  const [value, set] = useState<Selection>(noSelection)
  const [cursors, setCursors] = useState<ReadonlyMap<string, string | undefined>>(new Map())
  const [known, setKnown] = useState({ folder, ids })

  if (known.folder !== folder) {
    const cursor = cursors.get(folder)
    setKnown({ folder, ids: [] })
    set(cursor === undefined ? noSelection : { cursor, anchor: cursor, picked: new Set([cursor]) })
  } else if (isComplete && known.ids !== ids) {
    setKnown({ folder, ids })
    // Rows of a newly opened folder are added, none were removed.
    if (known.ids.length > 0) {
      set(among(value, ids, known.ids))
    }
  }
  return {
    value,
    set,
    clear: () => set(pickNone(value)),
    pick: (id) => set({ cursor: id, anchor: id, picked: new Set([id]) }),
    leave: (from, to, cursor) =>
      setCursors(new Map([...cursors, [from, value.cursor], ...(cursor === undefined ? [] : [[to, cursor] as const])])),
  }
}
