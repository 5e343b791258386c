import { files as words } from '../../strings/en-files.ts'

/** A file of this computer, or a folder with nothing in it, and the folders that it came in. */
export interface LocalFile {
  /** Undefined for an empty folder, whose name is the last of `folders`. */
  file: File | undefined
  folders: readonly string[]
}

/** Files from a file field; of a folder each says where in it it was. */
export const readChosen = (files: FileList): LocalFile[] =>
  [...files].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }))

/** Names of systems other than this one may hold what is a separator on the device. */
export const nameProblem = (name: string) =>
  name === ''
    ? words.nameEmpty
    : /[\\/]/.test(name)
      ? words.nameSlash
      : /^\.*$/.test(name.trim())
        ? words.nameDots
        : undefined
