import { IconCopy, IconDownload, IconFolderOpen, IconTrash, type Icon } from '@tabler/icons-react'
import type { Entry } from '../../api/files.ts'
import { copyText } from '../../components/clipboard.ts'
import { en } from '../../strings/en.ts'
import { files as t } from '../../strings/en-files.ts'
import { usePageFiles } from './page-files.ts'

interface EntryAction {
  label: string
  icon: Icon
  run: () => void
  isDangerous?: boolean
}

/** What can be done with what is picked, for the menu and for the bar. */
export function useEntryActions(entries: readonly Entry[]): EntryAction[] {
  const { open, download, remove } = usePageFiles()
  const [first] = entries
  if (!first) {
    return []
  }
  const isOne = entries.length === 1
  const isFolder = isOne && first.isDirectory
  return [
    ...(isFolder ? [{ label: t.open, icon: IconFolderOpen, run: () => open(first.fullPath) }] : []),
    ...(download
      ? [
          {
            label: isOne && !isFolder ? t.download : t.downloadZip,
            icon: IconDownload,
            run: () => download(entries),
          },
        ]
      : []),
    ...(isOne ? [{ label: t.copyPath, icon: IconCopy, run: () => void copyText(first.fullPath) }] : []),
    ...(remove ? [{ label: en.common.delete, icon: IconTrash, run: () => remove(entries), isDangerous: true }] : []),
  ]
}
