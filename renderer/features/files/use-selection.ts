import { useState } from 'react'
import { among, noSelection, pickNone, type Selection } from './selection.ts'

/** What is picked in the folder on screen. A folder that is come back to has its cursor where it was. */
export function useSelection(folder: string, ids: readonly string[], isComplete: boolean) {
  const [value, set] = useState<Selection>(noSelection)
  const [cursors, setCursors] = useState<ReadonlyMap<string, string | undefined>>(new Map())
  const [known, setKnown] = useState({ folder, ids })

  if (known.folder !== folder) {
    const cursor = cursors.get(folder)
    setKnown({ folder, ids: [] })
    set(cursor === undefined ? noSelection : { cursor, anchor: cursor, picked: new Set([cursor]) })
  } else if (isComplete && known.ids !== ids) {
    setKnown({ folder, ids })
    // A folder that has just been opened was empty before: nothing of it has gone.
    if (known.ids.length > 0) {
      set(among(value, ids, known.ids))
    }
  }
  return {
    value,
    set,
    clear: () => set(pickNone(value)),
    pick: (id: string) => set({ cursor: id, anchor: id, picked: new Set([id]) }),
    /** Keeps the cursor of a folder that is left, and says where it is to be in the next one. */
    leave: (from: string, to: string, cursor: string | undefined) =>
      setCursors(new Map([...cursors, [from, value.cursor], ...(cursor === undefined ? [] : [[to, cursor] as const])])),
  }
}
