/** Selection and cursor of a list, by row id, so that sorting keeps both. */
export interface Selection {
  /** Row that keys act from. */
  cursor: string | undefined
  /** First row of a range. */
  anchor: string | undefined
  picked: ReadonlySet<string>
}

export const noSelection: Selection = { cursor: undefined, anchor: undefined, picked: new Set() }

/** Rows that a move selects: the target, the range up to the target, or none. */
export type MoveKind = 'one' | 'range' | 'none'

/** Index of the cursor; 0 without a cursor. */
export const cursorIndex = ({ cursor }: Selection, ids: readonly string[]) =>
  Math.max(0, cursor === undefined ? 0 : ids.indexOf(cursor))

/** Moves the cursor to a row. */
export function moveTo(selection: Selection, ids: readonly string[], index: number, kind: MoveKind): Selection {
  const at = Math.min(ids.length - 1, Math.max(0, index))
  const id = ids[at]
  if (id === undefined) {
    return selection
  }
  if (kind === 'none') {
    return { ...selection, cursor: id, anchor: id }
  }
  if (kind === 'one') {
    return { cursor: id, anchor: id, picked: new Set([id]) }
  }
  const anchor = selection.anchor ?? ids[cursorIndex(selection, ids)] ?? id
  const from = Math.max(0, ids.indexOf(anchor))
  return { cursor: id, anchor, picked: new Set(ids.slice(Math.min(from, at), Math.max(from, at) + 1)) }
}

/** Selects or deselects one row; other rows stay selected. */
export function toggle(selection: Selection, id: string): Selection {
  const picked = new Set(selection.picked)
  if (!picked.delete(id)) {
    picked.add(id)
  }
  return { cursor: id, anchor: id, picked }
}

export const pickAll = (selection: Selection, ids: readonly string[]): Selection => ({
  ...selection,
  picked: new Set(ids),
})

export const pickNone = (selection: Selection): Selection => ({ ...selection, picked: new Set() })

/** Removes missing rows from the selection. The cursor of a removed row moves to the nearest remaining row. */
export function among(selection: Selection, ids: readonly string[], before: readonly string[]): Selection {
  const here = new Set(ids)
  const isHere = (id: string | undefined) => id !== undefined && here.has(id)
  const picked = [...selection.picked].filter((id) => here.has(id))
  if (picked.length === selection.picked.size && (selection.cursor === undefined || isHere(selection.cursor))) {
    return selection
  }
  const was = selection.cursor === undefined ? -1 : before.indexOf(selection.cursor)
  const after = was < 0 ? undefined : (before.slice(was).find(isHere) ?? before.slice(0, was).findLast(isHere))
  return {
    cursor: isHere(selection.cursor) ? selection.cursor : after,
    anchor: isHere(selection.anchor) ? selection.anchor : undefined,
    picked: new Set(picked),
  }
}
