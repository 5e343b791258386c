import {
  IconArrowBarToDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconClipboard,
  IconClipboardText,
  IconCopy,
  IconCopyPlus,
  IconCut,
  IconDownload,
  IconEdit,
  IconEye,
  IconFolderOpen,
  IconFolderPlus,
  IconInfoCircle,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import type { Entry } from '../../api/files.ts'
import type { Action } from '../../components/actions.ts'
import { copyText } from '../../components/copy-text.ts'
import * as t from '../../texts.ts'
import { focusFiles, type PageFiles } from './page-files.ts'

/** Runs a move between folders, then focuses the rows. */
const move = (go: (() => void) | undefined) => {
  go?.()
  focusFiles()
}

export const moveActions: readonly Action<PageFiles>[] = [
  {
    name: 'back',
    label: t.files.back,
    icon: IconArrowLeft,
    keys: ['Alt+ArrowLeft'],
    isDisabled: ({ back }) => !back,
    run: ({ back }) => move(back),
  },
  {
    name: 'forward',
    label: t.files.forward,
    icon: IconArrowRight,
    keys: ['Alt+ArrowRight'],
    isDisabled: ({ forward }) => !forward,
    run: ({ forward }) => move(forward),
  },
  {
    name: 'up',
    label: t.files.up,
    icon: IconArrowUp,
    keys: ['Backspace', 'Alt+ArrowUp'],
    isDisabled: ({ up }) => !up,
    run: ({ up }) => move(up),
  },
  { name: 'refresh', label: t.files.refresh, icon: IconRefresh, keys: ['F5'], run: ({ refresh }) => refresh() },
]

export const newFolderAction: Action<PageFiles> = {
  name: 'new-folder',
  label: t.files.newFolder,
  icon: IconFolderPlus,
  keys: ['F7', 'Ctrl+Shift+N'],
  isOffered: ({ createFolder }) => createFolder !== undefined,
  run: ({ createFolder }) => createFolder?.(),
}

export const pasteAction: Action<PageFiles> = {
  name: 'paste',
  label: t.files.paste,
  icon: IconClipboard,
  keys: ['Ctrl+V'],
  isOffered: ({ paste }) => paste !== undefined,
  run: ({ paste }) => paste?.(),
}

export const folderActions = [...moveActions, newFolderAction, pasteAction]

/** Actions of a folder in the context menu of the list. */
export const menuFolderActions = folderActions.filter(({ name }) => ['refresh', 'new-folder', 'paste'].includes(name))

interface EntryContext {
  entries: readonly Entry[]
  files: PageFiles
}

const isOneFolder = ({ entries }: EntryContext) => entries.length === 1 && entries[0]!.isDirectory
const isOneFile = ({ entries }: EntryContext) => entries.length === 1 && !entries[0]!.isDirectory

/** Actions for the selected entries, in the context menu, the bar below the list and the keyboard. */
export const entryActions: readonly Action<EntryContext>[] = [
  {
    name: 'open',
    label: t.files.open,
    icon: IconFolderOpen,
    isOffered: isOneFolder,
    run: ({ entries, files }) => files.open(entries[0]!.fullPath),
  },
  {
    name: 'view',
    label: t.files.viewFile,
    icon: IconEye,
    keys: ['F3'],
    isOffered: (context) => context.files.view !== undefined && isOneFile(context),
    run: ({ entries, files }) => files.view?.(entries[0]!),
  },
  {
    name: 'follow',
    label: t.files.followFile,
    icon: IconArrowBarToDown,
    keys: ['Shift+F3'],
    isOffered: (context) => context.files.follow !== undefined && isOneFile(context),
    run: ({ entries, files }) => files.follow?.(entries[0]!),
  },
  {
    name: 'download',
    label: t.files.download,
    icon: IconDownload,
    isOffered: (context) => context.files.download !== undefined && isOneFile(context),
    run: ({ entries, files }) => files.download?.(entries),
  },
  {
    name: 'download-zip',
    label: t.files.downloadZip,
    icon: IconDownload,
    isOffered: (context) => context.files.download !== undefined && !isOneFile(context),
    run: ({ entries, files }) => files.download?.(entries),
  },
  {
    name: 'rename',
    label: t.files.rename,
    icon: IconEdit,
    keys: ['F2'],
    isOffered: ({ entries, files }) => files.rename !== undefined && entries.length === 1,
    run: ({ entries, files }) => files.rename?.(entries[0]!),
  },
  {
    name: 'cut',
    label: t.files.cutEntries,
    icon: IconCut,
    keys: ['Ctrl+X'],
    isOffered: ({ files }) => files.cut !== undefined,
    run: ({ entries, files }) => files.cut?.(entries),
  },
  {
    name: 'copy',
    label: t.files.copy,
    icon: IconCopy,
    keys: ['Ctrl+C'],
    isOffered: ({ files }) => files.copy !== undefined,
    run: ({ entries, files }) => files.copy?.(entries),
  },
  {
    name: 'duplicate',
    label: t.files.duplicate,
    icon: IconCopyPlus,
    keys: ['Ctrl+D'],
    isOffered: ({ files }) => files.duplicate !== undefined,
    run: ({ entries, files }) => files.duplicate?.(entries),
  },
  {
    name: 'copy-path',
    label: t.files.copyPath,
    icon: IconClipboardText,
    isOffered: ({ entries }) => entries.length === 1,
    run: ({ entries }) => void copyText(entries[0]!.fullPath),
  },
  {
    name: 'properties',
    label: t.files.propertiesOf,
    icon: IconInfoCircle,
    keys: ['Alt+Enter'],
    isOffered: ({ entries, files }) => files.properties !== undefined && entries.length === 1,
    run: ({ entries, files }) => files.properties?.(entries[0]!),
  },
  {
    name: 'delete',
    label: t.common.delete,
    icon: IconTrash,
    keys: ['Delete'],
    isDangerous: true,
    isOffered: ({ files }) => files.remove !== undefined,
    run: ({ entries, files }) => files.remove?.(entries),
  },
]

/** Actions that the menu alone shows: the bar below the list has room for few. */
const menuOnly: ReadonlySet<string> = new Set(['follow', 'cut', 'copy', 'duplicate', 'properties'])

export const isInBar = ({ name }: Action<EntryContext>) => !menuOnly.has(name)

export const offeredEntryActions = (context: EntryContext) =>
  context.entries.length === 0 ? [] : entryActions.filter(({ isOffered }) => isOffered?.(context) ?? true)
