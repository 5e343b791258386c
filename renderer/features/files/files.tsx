import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { refreshFolder, type Entry } from '../../api/files.ts'
import { openForTyping } from '../../components/open-for-typing.ts'
import { parentOf } from '../../api/device-path.ts'
import { useIsAway } from '../../hooks/use-is-away.ts'
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
import { FilesToolbar } from './files-toolbar.tsx'
import { FolderState } from './folder-state.tsx'
import { FolderTree } from './folder-tree.tsx'
import { NewFolder } from './new-folder.tsx'
import { focusFilesIfIdle, PageFilesContext, type PageFiles } from './page-files.ts'
import { PathBar } from './path-bar.tsx'
import { startDownload } from './use-download.ts'
import { useDrop } from '../transfers/use-drop.ts'
import { useListing } from './use-listing.ts'
import { useSelection } from './use-selection.ts'
import { useTransferLimit } from './use-transfer-limit.ts'
import { useUpload } from './use-upload.ts'

/** Platforms with case-insensitive file names: Windows and macOS. */

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

/** State of the tab, and the actions available in the folder on screen. */
function useFiles() {
  const { device, can } = usePageDevice()
  const isShown = useTabIsShown()
  const { tenantId } = useSession().user
  const place = useMemo(() => ({ deviceId: device.id, tenantId }), [device.id, tenantId])
  const [order, setOrder] = usePreference<SortOrder>('files.order', { column: 'name', isDescending: false })
  const [showsHidden, setShowsHidden] = usePreference('files.hidden', false)
  const [showsTree, setShowsTree] = usePreference('files.tree', true)
  const [filter, setFilter] = useState('')
  const [isEditingPath, setIsEditingPath] = useState(false)
  const [toDelete, setToDelete] = useState<readonly Entry[]>(none)
  const [newIn, setNewIn] = useState<string>()
  const { problemOf } = useTransferLimit()

  const { isOnline } = device
  const listing = useListing({ place, isOnline, order, showsHidden, filter })
  const { history, folder, isDrives, entries } = listing
  const ids = useMemo(() => entries.map(({ fullPath }) => fullPath), [entries])
  const selection = useSelection(folder, ids, listing.isComplete)

  const changes = isOnline && !isDrives
  const uploads = useUpload({
    place,
    deviceName: device.name,
    isOnline,
    ignoresCase: ignoresCase(device.platform),
    mayMakeFolders: can('device.file-system.write'),
  })
  const open = (path: string, cursor?: string) => {
    setFilter('')
    selection.leave(folder, path, cursor)
    history.open(path)
  }
  const download =
    changes && can('device.file-system.transfer-download')
      ? (wanted: readonly Entry[]) => {
          const text = problemOf(wanted.filter(({ isDirectory }) => !isDirectory))
          uploads.setProblem(text === undefined ? undefined : { title: t.files.downloadRefused, text })
          if (text === undefined) {
            void startDownload(place, device.name, folder, wanted)
          }
        }
      : undefined
  const page: PageFiles = {
    place,
    folder,
    open,
    activate: (entry) => (entry.isDirectory ? open(entry.fullPath) : download?.([entry])),
    up: isDrives ? undefined : () => open(parentOf(folder) ?? '', folder),
    back: history.back,
    forward: history.forward,
    refresh: listing.refresh,
    upload: !isDrives && can('device.file-system.transfer-upload') ? uploads.upload : undefined,
    download,
    remove: changes && can('device.file-system.delete') ? setToDelete : undefined,
    createFolder: changes && can('device.file-system.write') ? () => openForTyping(() => setNewIn(folder)) : undefined,
  }

  useFilesFocus({ isShown, hasRows: entries.length > 0, folder, onPathKey: () => setIsEditingPath(true) })

  const drop = useDrop((dropped, onto) => {
    const folderUnder = entries.find(({ fullPath, isDirectory }) => isDirectory && fullPath === onto)
    return page.upload && dropped
      ? page.upload(folderUnder?.fullPath ?? folder, readDropped(dropped))
      : page.upload && (folderUnder?.fullPath ?? folder)
  })
  const picked = entries.filter(({ fullPath }) => selection.value.picked.has(fullPath))
  return {
    page,
    device,
    listing,
    selection,
    uploads,
    drop,
    ids,
    picked,
    view: { order, setOrder, showsHidden, setShowsHidden, showsTree, setShowsTree, filter, setFilter },
    path: { isEditing: isEditingPath, onEdit: setIsEditingPath },
    toDelete,
    setToDelete,
    newIn,
    setNewIn,
  }
}

/** Entries of the folder on screen, or the reason why there are none. */
function FolderView({ files }: { files: ReturnType<typeof useFiles> }) {
  const { listing, selection, ids, picked, view } = files
  return (
    <div className={classes.main}>
      {listing.entries.length > 0 ? (
        <FileList
          entries={listing.entries}
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
          hidden={listing.hidden}
          filter={view.filter}
          filtered={listing.filtered}
          onShowHidden={() => view.setShowsHidden(true)}
          onClearFilter={() => view.setFilter('')}
        />
      )}
      <FilesFooter
        entries={listing.entries}
        picked={picked}
        hidden={listing.hidden}
        filtered={listing.filtered}
        isPartial={listing.isPartial}
        onShowHidden={() => view.setShowsHidden(true)}
        onClearFilter={() => view.setFilter('')}
        onClearSelection={selection.clear}
      />
    </div>
  )
}

/** File browser of a device: folder tree and list. */
export default function Files() {
  const isAway = useIsAway()
  const client = useQueryClient()
  const files = useFiles()
  const { page, device, listing, selection, uploads, drop, view } = files
  return (
    <PageFilesContext value={page}>
      <section className={classes.page} aria-label={t.files.list} {...drop.handlers}>
        <FilesToolbar path={<PathBar {...files.path} />} view={view} />
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
          <FolderView files={files} />
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
        place={page.place}
        folder={files.newIn}
        onClose={() => files.setNewIn(undefined)}
        onCreated={(path) => {
          selection.pick(path)
          refreshFolder(client, device.id, files.newIn ?? page.folder)
        }}
      />
      <DeleteFiles
        place={page.place}
        entries={files.toDelete}
        onClose={() => files.setToDelete(none)}
        onDeleted={() => refreshFolder(client, device.id, page.folder)}
      />
      <ConflictDialog question={uploads.question} />
    </PageFilesContext>
  )
}
