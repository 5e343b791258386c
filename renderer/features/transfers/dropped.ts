import type { LocalFile } from './local-files.ts'

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** Reads all entries of a folder. Browsers return at most 100 per call. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) {
      return all
    }
    all.push(...some)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

async function walk(entry: FileSystemEntry, folders: readonly string[]): Promise<LocalFile[]> {
  if (isFile(entry)) {
    return [{ file: await fileOf(entry), folders }]
  }
  if (!isFolder(entry)) {
    return []
  }
  const below = [...folders, entry.name]
  const found: LocalFile[] = []
  for (const each of await entriesOf(entry)) {
    found.push(...(await walk(each, below)))
  }
  return found.length > 0 ? found : [{ file: undefined, folders: below }]
}

/**
 * Files and folders of a drop. Must be called synchronously in the event handler, since browsers clear the data
 * afterwards.
 */
export async function readDropped({ items, files }: DataTransfer): Promise<LocalFile[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) {
    return [...files].map((file) => ({ file, folders: [] }))
  }
  const found: LocalFile[] = []
  for (const entry of entries) {
    found.push(...(await walk(entry, [])))
  }
  return found
}
