import { createContext, use } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import type { LocalFile } from '../transfers/local-files.ts'
import type { ClipboardEntries } from './file-clipboard.ts'

/** File actions for components inside the tab. An action that is not permitted is undefined. */
export interface PageFiles {
  place: FilePlace
  /** Path of the folder; empty for the list of drives. */
  folder: string
  /** Opens a folder; `cursor` is the entry to select there. */
  open: (folder: string, cursor?: string) => void
  /** Opens a folder, downloads a file. */
  activate: (entry: Entry) => void
  up: (() => void) | undefined
  back: (() => void) | undefined
  forward: (() => void) | undefined
  refresh: () => void
  upload: ((folder: string, files: Promise<LocalFile[]>) => void) | undefined
  download: ((entries: readonly Entry[]) => void) | undefined
  remove: ((entries: readonly Entry[]) => void) | undefined
  createFolder: (() => void) | undefined
  rename: ((entry: Entry) => void) | undefined
  view: ((entry: Entry) => void) | undefined
  follow: ((entry: Entry) => void) | undefined
  properties: ((entry: Entry) => void) | undefined
  /** Remembers entries to paste, moved or copied. */
  cut: ((entries: readonly Entry[]) => void) | undefined
  copy: ((entries: readonly Entry[]) => void) | undefined
  duplicate: ((entries: readonly Entry[]) => void) | undefined
  /** Undefined without something to paste. */
  paste: (() => void) | undefined
  /** Entries to paste. */
  held: ClipboardEntries | undefined
}

export const PageFilesContext = createContext<PageFiles | undefined>(undefined)

export function usePageFiles() {
  const files = use(PageFilesContext)
  if (!files) {
    throw new Error('usePageFiles is for parts of the tab for files')
  }
  return files
}

/** Focuses the rows. */
export const focusFiles = () =>
  document.querySelector<HTMLElement>('[data-files-list]:not([hidden] *)')?.focus({ preventScroll: true })

/** Focuses the rows unless another field, list or dialog has the focus. */
export function focusFilesIfIdle() {
  if (
    !document.activeElement?.closest(
      'input, textarea, [role="dialog"], [role="menu"], [role="tree"], [role="grid"], [role="tab"], nav, aside',
    )
  ) {
    focusFiles()
  }
}
