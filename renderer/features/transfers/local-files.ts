import * as t from '../../texts.ts'

/** Local file or empty folder, with its parent folders. */
export interface LocalFile {
  /** Undefined for an empty folder, whose name is the last of `folders`. */
  file: File | undefined
  folders: readonly string[]
}

/** Files of a file input, with their paths inside a chosen folder. */
export const readChosen = (files: FileList): LocalFile[] =>
  [...files].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }))

/** Rejects names that contain a path separator of any system. */
export const nameProblem = (name: string) =>
  name === ''
    ? t.files.nameEmpty
    : /[\\/]/.test(name)
      ? t.files.nameSlash
      : /^\.*$/.test(name.trim())
        ? t.files.nameDots
        : undefined
