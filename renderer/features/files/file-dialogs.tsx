import { refreshFolder, type Entry, type FilePlace } from '../../api/files.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { DeleteFiles } from './delete-files.tsx'
import { FollowFileDialog } from './follow-file.tsx'
import { NewFolder } from './new-folder.tsx'
import { PropertiesDialog } from './properties-dialog.tsx'
import { RenameFile } from './rename-file.tsx'
import { ViewFileDialog } from './view-file.tsx'

/** Dialog that is open, with what it is about. */
export type FileDialog =
  | { kind: 'new-folder'; folder: string }
  | { kind: 'rename'; entry: Entry }
  | { kind: 'delete'; entries: readonly Entry[] }
  | { kind: 'view' | 'follow' | 'properties'; entry: Entry }

interface FileDialogsProps {
  place: FilePlace
  folder: string
  dialog: FileDialog | undefined
  onClose: () => void
  /** Selects an entry that a dialog made or renamed. */
  onPick: (path: string) => void
}

const none: readonly Entry[] = []

/** Dialogs of the file browser; each stays mounted, so that it closes with its transition. */
export function FileDialogs({ place, folder, dialog, onClose, onPick }: FileDialogsProps) {
  const { can } = usePageDevice()
  const refresh = (path: string) => refreshFolder(place.deviceId, path)
  const newIn = dialog?.kind === 'new-folder' ? dialog.folder : undefined
  return (
    <>
      <NewFolder
        place={place}
        folder={newIn}
        onClose={onClose}
        onCreated={(path) => {
          onPick(path)
          refresh(newIn ?? folder)
        }}
      />
      <RenameFile
        place={place}
        entry={dialog?.kind === 'rename' ? dialog.entry : undefined}
        onClose={onClose}
        onRenamed={(path) => {
          onPick(path)
          refresh(folder)
        }}
      />
      <ViewFileDialog
        place={place}
        entry={dialog?.kind === 'view' ? dialog.entry : undefined}
        maySave={can('device.file-system.transfer-upload')}
        onClose={onClose}
      />
      <FollowFileDialog place={place} entry={dialog?.kind === 'follow' ? dialog.entry : undefined} onClose={onClose} />
      <PropertiesDialog
        place={place}
        entry={dialog?.kind === 'properties' ? dialog.entry : undefined}
        mayChange={can('device.file-system.transfer-upload')}
        mayHash={can('device.file-system.transfer-download')}
        onClose={onClose}
      />
      <DeleteFiles
        place={place}
        entries={dialog?.kind === 'delete' ? dialog.entries : none}
        onClose={onClose}
        onDeleted={() => refresh(folder)}
      />
    </>
  )
}
