import { createContext, use } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import type { LocalFile } from '../transfers/local-files.ts'

/** What can be done with files, for the parts deep inside the tab. What may not be done is not there. */
export interface PageFiles {
  place: FilePlace
  /** Empty: the drives. */
  folder: string
  /** Opens a folder; `cursor` is the entry in it that the keys are on then. */
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
}

export const PageFilesContext = createContext<PageFiles | undefined>(undefined)

export function usePageFiles() {
  const files = use(PageFilesContext)
  if (!files) {
    throw new Error('usePageFiles is for parts of the tab for files')
  }
  return files
}

/** Puts the keyboard onto the rows. */
export const focusFiles = () =>
  document.querySelector<HTMLElement>('[data-files-list]:not([hidden] *)')?.focus({ preventScroll: true })

/** The same, unless somebody is typing or answering a question elsewhere. */
export function focusFilesIfIdle() {
  if (
    !document.activeElement?.closest(
      'input, textarea, [role="dialog"], [role="menu"], [role="tree"], [role="grid"], [role="tab"], nav, aside',
    )
  ) {
    focusFiles()
  }
}
