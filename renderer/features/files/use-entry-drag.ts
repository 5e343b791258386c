import { useState, type DragEvent, type PointerEvent } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import { isWithin, parentOf } from '../../api/device-path.ts'
import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { pageTicketParameter } from '../../../shared/page-key.ts'
import { safeFileName } from '../../../shared/safe-file-names.ts'
import { api } from '../../api/http.ts'
import { signedOut } from '../../api/sign-out.ts'

/** Age up to which a ticket is used, in ms: it expires after a minute, and a drag takes time. */
const freshMs = 40_000

let held: { ticket: string; at: number } | undefined
signedOut.on(() => (held = undefined))

const isFresh = () => held !== undefined && performance.now() - held.at < freshMs

/** Gets a ticket before a drag begins, because the drag cannot wait for an answer. */
async function prepareDragOut(): Promise<void> {
  if (!isFresh()) {
    const at = performance.now()
    const answer = await api.ownSession.issueTicket({}).catch(() => undefined)
    held = answer && { ticket: answer.ticket, at }
  }
}

/**
 * Lets Chromium save a dragged entry where it is dropped outside of the page; other browsers ignore this. The address
 * works once, within a minute and in this session (T16).
 */
function offerDragOut(data: DataTransfer, { deviceId, tenantId }: FilePlace, entry: Entry): void {
  if (!held || !isFresh()) {
    return
  }
  const path = buildUrl(deviceFileSystem.routes.download.path, {
    params: { deviceId },
    query: { filePath: entry.fullPath, [pageTicketParameter]: held.ticket },
    tenantId,
  })
  const name = safeFileName(entry.name) + (entry.isDirectory ? '.zip' : '')
  data.setData('DownloadURL', `application/octet-stream:${name}:${new URL(path, location.origin).href}`)
  held = undefined
}

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
  /** Reads from each event where the entries go: the drag that is drawn may be that of an earlier event. */
  const placeOf = (event: DragEvent, dragged: readonly Entry[]) => {
    const folder = folderAt(event)
    const isCopy = event.ctrlKey
    const canTake =
      onDrop !== undefined &&
      folder !== undefined &&
      folder !== '' &&
      dragged.every(
        ({ fullPath, isDirectory }) =>
          (isCopy || parentOf(fullPath) !== folder) && !(isDirectory && isWithin(folder, fullPath)),
      )
    return { target: canTake ? folder : undefined, isCopy }
  }
  const handleOver = (event: DragEvent) => {
    if (!drag || !event.dataTransfer.types.includes(dragType)) {
      return
    }
    event.preventDefault()
    const { target, isCopy } = placeOf(event, drag.entries)
    event.dataTransfer.dropEffect = target === undefined ? 'none' : isCopy ? 'copy' : 'move'
    if (target !== drag.target || isCopy !== drag.isCopy) {
      setDrag({ ...drag, target, isCopy })
    }
  }
  const end = () => setDrag(undefined)
  const handleDrop = (event: DragEvent) => {
    if (drag && event.dataTransfer.types.includes(dragType)) {
      event.preventDefault()
      const { target, isCopy } = placeOf(event, drag.entries)
      if (target !== undefined) {
        onDrop?.(isCopy ? 'copy' : 'move', drag.entries, target)
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
