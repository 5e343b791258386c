import { useRef, type KeyboardEvent } from 'react'
import type { Entry } from '../../api/files.ts'
import { findUsable } from '../../components/actions.ts'
import { entryActions, folderActions } from './actions.ts'
import { usePageFiles } from './page-files.ts'
import { cursorIndex, moveTo, pickAll, pickNone, toggle, type Selection } from './selection.ts'

interface ListKeysOptions {
  entries: readonly Entry[]
  ids: readonly string[]
  selection: Selection
  onSelect: (selection: Selection) => void
  /** Rows per Page Up and Page Down. */
  pageRows: number
  openMenu: (index: number) => void
}

const typingMs = 900

/** Type-ahead: finds the row whose name begins with the typed text; repeating one letter steps through its rows. */
function useTypeAhead({ entries, ids, selection, onSelect }: ListKeysOptions) {
  const typed = useRef({ text: '', at: 0 })
  const isTyping = (event: KeyboardEvent) => typed.current.text !== '' && event.timeStamp - typed.current.at <= typingMs
  const type = (event: KeyboardEvent) => {
    const isNew = !isTyping(event)
    const text = (isNew ? '' : typed.current.text) + event.key.toLowerCase()
    typed.current = { text, at: event.timeStamp }
    const isOneLetter = [...text].every((letter) => letter === text[0])
    const wanted = isOneLetter ? text[0]! : text
    const from = cursorIndex(selection, ids) + (isOneLetter && selection.cursor !== undefined ? 1 : 0)
    const order = entries.map((_, offset) => (from + offset) % entries.length)
    const found = order.find((index) => entries[index]!.name.toLowerCase().startsWith(wanted))
    if (found !== undefined) {
      onSelect(moveTo(selection, ids, found, 'one'))
    }
  }
  return { type, isTyping }
}

/** Keyboard handler of the list. */
export function useListKeys(options: ListKeysOptions) {
  const { entries, ids, selection, onSelect, pageRows, openMenu } = options
  const files = usePageFiles()
  const typeAhead = useTypeAhead(options)

  return (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) {
      return
    }
    const at = cursorIndex(selection, ids)
    const entry = entries[at]
    const isControl = event.ctrlKey || event.metaKey
    const go = (index: number) => () =>
      onSelect(moveTo(selection, ids, index, event.shiftKey ? 'range' : isControl ? 'none' : 'one'))
    const step = (by: number) => go(selection.cursor === undefined && by === 1 ? 0 : at + by)
    const pickedOrCursor = entries.filter(({ fullPath }) => selection.picked.has(fullPath))
    const acted = pickedOrCursor.length > 0 ? pickedOrCursor : entry ? [entry] : []
    const flip = entry && (() => onSelect(toggle(selection, entry.fullPath)))

    const keys: Record<string, (() => void) | undefined> = {
      ArrowDown: step(1),
      ArrowUp: step(-1),
      PageDown: step(pageRows),
      PageUp: step(-pageRows),
      Home: go(0),
      End: go(ids.length - 1),
      Enter: entry && (() => files.activate(entry)),
      ' ': flip,
      F10: event.shiftKey && entry ? () => openMenu(at) : undefined,
      ContextMenu: entry && (() => openMenu(at)),
      Escape: selection.picked.size > 0 ? () => onSelect(pickNone(selection)) : undefined,
    }
    const withControl: Record<string, (() => void) | undefined> = {
      a: () => onSelect(pickAll(selection, ids)),
    }
    const key = event.key.toLowerCase()
    const isLetter = event.key.length === 1 && !isControl && !event.altKey && !'/?'.includes(event.key)
    // Space is part of a typed name here.
    const isPartOfName = event.key === ' ' && isLetter && typeAhead.isTyping(event)
    const folderAction = findUsable(folderActions, event, files)
    const entryAction = acted.length > 0 ? findUsable(entryActions, event, { entries: acted, files }) : undefined
    const handle = isPartOfName
      ? undefined
      : (folderAction ??
        entryAction ??
        (event.altKey ? undefined : ((isControl ? withControl[key] : undefined) ?? keys[event.key])))
    if (handle) {
      event.preventDefault()
      handle()
    } else if (isLetter) {
      event.preventDefault()
      typeAhead.type(event)
    }
  }
}
