import { useEffect, useEffectEvent, useMemo, useState, type DragEvent } from 'react'
import { useIsAway } from '../../hooks/use-live-state.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import { usePreference } from '../../styles/preferences.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { FileDialogs, type FileDialog } from './file-dialogs.tsx'
import { ignoresCase } from '../transfers/person-folder.ts'
import { readDropped } from '../transfers/dropped.ts'
import type { SortOrder } from './entry-order.ts'
import { FileList } from './file-list.tsx'
import classes from './files.module.css'
import { FilesFooter } from './files-footer.tsx'
import { FilesNotices } from './files-notices.tsx'
import { FilesToolbar, type FilesView } from './files-toolbar.tsx'
import { FolderPane, useTreePlace } from './folder-pane.tsx'
import { FolderState } from './folder-state.tsx'
import { focusFilesIfIdle, PageFilesContext } from './page-files.ts'
import { PathBar } from './path-bar.tsx'
import { useArrange } from './use-arrange.ts'
import { useFileActions } from './use-file-actions.ts'
import { useDrop } from '../transfers/use-drop.ts'
import { useEntryDrag } from './use-entry-drag.ts'
import { useListing, type Listing } from './use-listing.ts'
import { useQuestions } from './use-questions.ts'
import { useSelection, type FolderSelection } from './use-selection.ts'
import { useUpload } from './use-upload.ts'

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
  const tree = useTreePlace()
  const [filter, setFilter] = useState('')
  return { order, setOrder, showsHidden, setShowsHidden, tree, filter, setFilter }
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
        isKnown={listing.isThere === true}
        onClearSelection={selection.clear}
        {...left}
      />
    </div>
  )
}

type DragEvents = 'onDragStart' | 'onDragEnter' | 'onDragLeave' | 'onDragOver' | 'onDrop' | 'onDragEnd'
type DragHandlers = Partial<Record<DragEvents, (event: DragEvent) => void>>

/** Handlers that call both: of files of this computer, and of entries of the list. */
const joined = <Other extends DragHandlers>(one: DragHandlers, other: Other): DragHandlers & Other => ({
  ...one,
  ...other,
  onDragOver(event) {
    one.onDragOver?.(event)
    other.onDragOver?.(event)
  },
  onDrop(event) {
    one.onDrop?.(event)
    other.onDrop?.(event)
  },
})

/** File browser of a device: folder tree and list. */
export default function Files() {
  const { device, can } = usePageDevice()
  const { tenantId } = useSession().user
  const isShown = useTabIsShown()
  const isAway = useIsAway()
  const place = useMemo(() => ({ deviceId: device.id, tenantId }), [device.id, tenantId])
  const view = useFilesView()
  const [isEditingPath, setIsEditingPath] = useState(false)
  const [dialog, setDialog] = useState<FileDialog>()
  const { isOnline } = device
  const listing = useListing({ place, isOnline, ...view })
  const { folder, entries } = listing
  const ids = useMemo(() => entries.map(({ fullPath }) => fullPath), [entries])
  const selection = useSelection(folder, ids, listing.isComplete)
  const questions = useQuestions()
  const common = { place, deviceName: nameOfDevice(device), ignoresCase: ignoresCase(device.platform), questions }
  const uploads = useUpload({ ...common, isOnline, mayMakeFolders: can('device.file-system.write') })
  const arrange = useArrange({ ...common, onProblem: uploads.setProblem })
  const files = useFileActions({
    place,
    listing,
    onUpload: uploads.upload,
    onProblem: uploads.setProblem,
    onOpen: (path, cursor) => {
      view.setFilter('')
      view.tree.leave()
      selection.leave(folder, path, cursor)
    },
    onDialog: setDialog,
    onArrange: arrange,
  })
  useFilesFocus({ isShown, hasRows: entries.length > 0, folder, onPathKey: () => setIsEditingPath(true) })
  const drop = useDrop((dropped, onto) => {
    const target = entries.find(({ fullPath, isDirectory }) => isDirectory && fullPath === onto)?.fullPath ?? folder
    return files.upload && dropped ? files.upload(target, readDropped(dropped)) : files.upload && target
  })
  const moving = useEntryDrag({
    entries,
    picked: selection.value.picked,
    onDrop: files.rename && arrange,
    source: files.download && place,
  })
  return (
    <PageFilesContext value={files}>
      <section className={classes.page} aria-label={t.files.list} {...joined(drop.handlers, moving.handlers)}>
        <FilesToolbar path={<PathBar isEditing={isEditingPath} onEdit={setIsEditingPath} />} view={view} />
        <FilesNotices
          listing={listing}
          isAway={isAway}
          problem={uploads.problem}
          onDismiss={() => uploads.setProblem(undefined)}
        />
        <div className={classes.body} data-drop={drop.target !== undefined || undefined}>
          <FolderPane roots={listing.roots} showsHidden={view.showsHidden} place={view.tree} />
          <FolderView listing={listing} ids={ids} selection={selection} view={view} />
          {drop.isOver && (
            <div className={classes.dropHint} role="status">
              {drop.target === undefined ? t.files.dropRefused : t.files.dropHere(visibleName(drop.target))}
            </div>
          )}
          {moving.drag?.target !== undefined && (
            <div className={classes.dropHint} role="status">
              {t.files.dropEntries(moving.drag.isCopy, moving.drag.entries.length, visibleName(moving.drag.target))}
            </div>
          )}
          {uploads.isReading && !questions.question && (
            <div className={classes.dropHint} role="status">
              {t.files.reading}
            </div>
          )}
        </div>
      </section>
      <FileDialogs
        place={place}
        folder={folder}
        dialog={dialog}
        onClose={() => setDialog(undefined)}
        onPick={selection.pick}
      />
      <ConflictDialog question={questions.question} />
    </PageFilesContext>
  )
}
