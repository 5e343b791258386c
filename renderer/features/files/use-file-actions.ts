import type { Entry, FilePlace } from '../../api/files.ts'
import { parentOf } from '../../api/device-path.ts'
import { openForTyping } from '../../components/open-for-typing.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import type { FileDialog } from './file-dialogs.tsx'
import { setFileClipboard, useFileClipboard } from './file-clipboard.ts'
import { focusFiles, type PageFiles } from './page-files.ts'
import type { Arrange } from './use-arrange.ts'
import { startDownload } from '../transfers/start-download.ts'
import type { Listing } from './use-listing.ts'
import { useTransferLimit } from './use-transfer-limit.ts'
import type { TransferProblem } from './use-upload.ts'

interface FileActionsOptions {
  place: FilePlace
  listing: Listing
  onUpload: PageFiles['upload']
  /** Called when a transfer is rejected, or starts after one that was. */
  onProblem: (problem: TransferProblem | undefined) => void
  /** Called before another folder opens; `cursor` is the entry to select there. */
  onOpen: (path: string, cursor?: string) => void
  onDialog: (dialog: FileDialog) => void
  onArrange: Arrange
}

/** Actions in the folder on screen. */
export function useFileActions(options: FileActionsOptions): PageFiles {
  const { place, listing, onUpload, onProblem, onOpen, onDialog, onArrange } = options
  const { device, can } = usePageDevice()
  const { problemOf } = useTransferLimit()
  const { history, folder, isDrives } = listing
  const held = useFileClipboard(device.id)
  const mayChange = device.isOnline && !isDrives
  const mayCopy = mayChange && can('device.file-system.transfer-upload')
  const mayMove = mayCopy && can('device.file-system.delete')
  const open = (path: string, cursor?: string) => {
    onOpen(path, cursor)
    history.open(path)
  }
  const download = (wanted: readonly Entry[]) => {
    const text = problemOf(wanted.filter(({ isDirectory }) => !isDirectory))
    onProblem(text === undefined ? undefined : { title: t.files.downloadRefused, text })
    if (text === undefined) {
      void startDownload(place, nameOfDevice(device), folder, wanted)
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
    remove:
      mayChange && can('device.file-system.delete') ? (entries) => onDialog({ kind: 'delete', entries }) : undefined,
    createFolder:
      mayChange && can('device.file-system.write')
        ? () => openForTyping(() => onDialog({ kind: 'new-folder', folder }))
        : undefined,
    rename: mayMove ? (entry) => openForTyping(() => onDialog({ kind: 'rename', entry })) : undefined,
    view: offered && ((entry) => onDialog({ kind: 'view', entry })),
    follow: offered && ((entry) => onDialog({ kind: 'follow', entry })),
    properties: mayChange ? (entry) => onDialog({ kind: 'properties', entry }) : undefined,
    cut: mayMove ? (entries) => setFileClipboard({ deviceId: device.id, isCut: true, entries }) : undefined,
    copy: mayCopy ? (entries) => setFileClipboard({ deviceId: device.id, isCut: false, entries }) : undefined,
    duplicate: mayCopy ? (entries) => onArrange('copy', entries, folder) : undefined,
    held,
    paste:
      held && (held.isCut ? mayMove : mayCopy)
        ? () => {
            onArrange(held.isCut ? 'move' : 'copy', held.entries, folder)
            if (held.isCut) {
              setFileClipboard(undefined)
            }
            focusFiles()
          }
        : undefined,
  }
}
