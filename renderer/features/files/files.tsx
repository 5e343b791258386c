import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { refreshFolder, type Entry, type FilePlace } from '../../api/files.ts'
import { openForTyping } from '../../components/open-for-typing.ts'
import { parentOf } from '../../api/device-path.ts'
import { useIsAway } from '../../hooks/use-live-state.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { usePreference } from '../../styles/preferences.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DeleteFiles } from './delete-files.tsx'
import { ignoresCase } from '../transfers/person-folder.ts'
import { readDropped } from '../transfers/dropped.ts'
import type { SortOrder } from './entry-order.ts'
import { FileList } from './file-list.tsx'
import classes from './files.module.css'
import { FilesFooter } from './files-footer.tsx'
import { FilesNotices } from './files-notices.tsx'
import { FilesToolbar, type FilesView } from './files-toolbar.tsx'
import { FolderState } from './folder-state.tsx'
import { FolderTree } from './folder-tree.tsx'
import { NewFolder } from './new-folder.tsx'
import { focusFilesIfIdle, PageFilesContext, type PageFiles } from './page-files.ts'
import { PathBar } from './path-bar.tsx'
import { startDownload } from './use-download.ts'
import { useDrop } from '../transfers/use-drop.ts'
import { useListing, type Listing } from './use-listing.ts'
import { useSelection, type FolderSelection } from './use-selection.ts'
import { useTransferLimit } from './use-transfer-limit.ts'
import { useUpload, type TransferProblem } from './use-upload.ts'

const none: readonly Entry[] = []

interface FilesFocusOptions {
  isShown: boolean
  hasRows: boolean
  folder: string
  onPathKey: () => void
}

/** Focuses the rows when a folder opens, and handles Ctrl+L, which edits the path. */
function useFilesFocus({ isShown, hasRows, folder, onPathKey }: FilesFocusOptions) {
  const handlePathKey = useEffectEvent(onPathKey)
  useEffect(() => {
    if (isShown && hasRows) {
      focusFilesIfIdle()
    }
  }, [isShown, hasRows, folder])
  useEffect(() => {
    if (!isShown) {
      return
    }
    const handleKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'l') {
        event.preventDefault()
        handlePathKey()
      }
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [isShown])
}

function useFilesView(): FilesView {
  const [order, setOrder] = usePreference<SortOrder>('files.order', { column: 'name', isDescending: false })
  const [showsHidden, setShowsHidden] = usePreference('files.hidden', false)
  const [showsTree, setShowsTree] = usePreference('files.tree', true)
  const [filter, setFilter] = useState('')
  return { order, setOrder, showsHidden, setShowsHidden, showsTree, setShowsTree, filter, setFilter }
}

interface FileActionsOptions {
  place: FilePlace
  listing: Listing
  onUpload: PageFiles['upload']
  /** Called when a transfer is rejected, or starts after one that was. */
  onProblem: (problem: TransferProblem | undefined) => void
  /** Called before another folder opens; `cursor` is the entry to select there. */
  onOpen: (path: string, cursor?: string) => void
  onDelete: (entries: readonly Entry[]) => void
  onCreateFolder: () => void
}

/** Actions in the folder on screen. */
function useFileActions(options: FileActionsOptions): PageFiles {
  const { place, listing, onUpload, onProblem, onOpen, onDelete, onCreateFolder } = options
  const { device, can } = usePageDevice()
  const { problemOf } = useTransferLimit()
  const { history, folder, isDrives } = listing
  const mayChange = device.isOnline && !isDrives
  const open = (path: string, cursor?: string) => {
    onOpen(path, cursor)
    history.open(path)
  }
  const download = (wanted: readonly Entry[]) => {
    const text = problemOf(wanted.filter(({ isDirectory }) => !isDirectory))
    onProblem(text === undefined ? undefined : { title: t.files.downloadRefused, text })
    if (text === undefined) {
      void startDownload(place, device.name, folder, wanted)
    }
  }
  const offered = mayChange && can('device.file-system.transfer-download') ? download : undefined
  return {
    place,
    folder,
    open,
    activate: (entry) => (entry.isDirectory ? open(entry.fullPath) : offered?.([entry])),
    up: isDrives ? undefined : () => open(parentOf(folder) ?? '', folder),
    back: history.back,
    forward: history.forward,
    refresh: listing.refresh,
    upload: !isDrives && can('device.file-system.transfer-upload') ? onUpload : undefined,
    download: offered,
    remove: mayChange && can('device.file-system.delete') ? onDelete : undefined,
    createFolder: mayChange && can('device.file-system.write') ? () => openForTyping(onCreateFolder) : undefined,
  }
}

interface FolderViewProps {
  listing: Listing
  ids: readonly string[]
  selection: FolderSelection
  view: FilesView
}

/** Entries of the folder on screen, or the reason why there are none. */
function FolderView({ listing, ids, selection, view }: FolderViewProps) {
  const { entries, hidden, filtered } = listing
  const { picked } = selection.value
  const left = {
    hidden,
    filtered,
    onShowHidden: () => view.setShowsHidden(true),
    onClearFilter: () => view.setFilter(''),
  }
  return (
    <div className={classes.main}>
      {entries.length > 0 ? (
        <FileList
          entries={entries}
          ids={ids}
          order={view.order}
          onSort={view.setOrder}
          selection={selection.value}
          onSelect={selection.set}
          isBusy={listing.isBusy}
        />
      ) : (
        <FolderState
          error={listing.error ?? listing.startError}
          isThere={listing.isThere}
          filter={view.filter}
          {...left}
        />
      )}
      <FilesFooter
        entries={entries}
        picked={entries.filter(({ fullPath }) => picked.has(fullPath))}
        isPartial={listing.isPartial}
        onClearSelection={selection.clear}
        {...left}
      />
    </div>
  )
}

/** File browser of a device: folder tree and list. */
export default function Files() {
  const { device, can } = usePageDevice()
  const { tenantId } = useSession().user
  const isShown = useTabIsShown()
  const isAway = useIsAway()
  const client = useQueryClient()
  const place = useMemo(() => ({ deviceId: device.id, tenantId }), [device.id, tenantId])
  const view = useFilesView()
  const [isEditingPath, setIsEditingPath] = useState(false)
  const [toDelete, setToDelete] = useState<readonly Entry[]>(none)
  const [newIn, setNewIn] = useState<string>()
  const { isOnline } = device
  const listing = useListing({ place, isOnline, ...view })
  const { folder, entries } = listing
  const ids = useMemo(() => entries.map(({ fullPath }) => fullPath), [entries])
  const selection = useSelection(folder, ids, listing.isComplete)
  const uploads = useUpload({
    place,
    deviceName: device.name,
    isOnline,
    ignoresCase: ignoresCase(device.platform),
    mayMakeFolders: can('device.file-system.write'),
  })
  const files = useFileActions({
    place,
    listing,
    onUpload: uploads.upload,
    onProblem: uploads.setProblem,
    onOpen: (path, cursor) => {
      view.setFilter('')
      selection.leave(folder, path, cursor)
    },
    onDelete: setToDelete,
    onCreateFolder: () => setNewIn(folder),
  })
  useFilesFocus({ isShown, hasRows: entries.length > 0, folder, onPathKey: () => setIsEditingPath(true) })
  const drop = useDrop((dropped, onto) => {
    const target = entries.find(({ fullPath, isDirectory }) => isDirectory && fullPath === onto)?.fullPath ?? folder
    return files.upload && dropped ? files.upload(target, readDropped(dropped)) : files.upload && target
  })
  return (
    <PageFilesContext value={files}>
      <section className={classes.page} aria-label={t.files.list} {...drop.handlers}>
        <FilesToolbar path={<PathBar isEditing={isEditingPath} onEdit={setIsEditingPath} />} view={view} />
        <FilesNotices
          listing={listing}
          isAway={isAway}
          problem={uploads.problem}
          onDismiss={() => uploads.setProblem(undefined)}
        />
        <div className={classes.body} data-drop={drop.target !== undefined || undefined}>
          {view.showsTree && (
            <aside className={classes.side} aria-label={t.files.tree}>
              <FolderTree roots={listing.roots} showsHidden={view.showsHidden} />
            </aside>
          )}
          <FolderView listing={listing} ids={ids} selection={selection} view={view} />
          {drop.isOver && (
            <div className={classes.dropHint} role="status">
              {drop.target === undefined ? t.files.dropRefused : t.files.dropHere(visibleName(drop.target))}
            </div>
          )}
          {uploads.isReading && !uploads.question && (
            <div className={classes.dropHint} role="status">
              {t.files.reading}
            </div>
          )}
        </div>
      </section>
      <NewFolder
        place={place}
        folder={newIn}
        onClose={() => setNewIn(undefined)}
        onCreated={(path) => {
          selection.pick(path)
          refreshFolder(client, device.id, newIn ?? folder)
        }}
      />
      <DeleteFiles
        place={place}
        entries={toDelete}
        onClose={() => setToDelete(none)}
        onDeleted={() => refreshFolder(client, device.id, folder)}
      />
      <ConflictDialog question={uploads.question} />
    </PageFilesContext>
  )
}
