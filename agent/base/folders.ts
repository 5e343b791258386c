/** Folders that hold the key, the log and the program of an agent: nobody else may have prepared them (T32). */
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmdirSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UserError } from './errors.ts'
import { makeWindowsFolder, windowsFolderProblem } from './windows-folder.ts'

const ownUid = process.getuid?.()

const writableByGroupOrOthers = 0o022
const writableByOthers = 0o002
/** Sticky bit: in such a folder, as /tmp, only the owner of an entry can rename the entry. */
const sticky = 0o1000

const ownerOf = ({ uid }: Stats) => `belongs to the user with the number ${uid}`

/** Checks the parent folders: a user who can change a parent can replace our folder. */
function problemAbove(folder: string): string | undefined {
  const parent = dirname(folder)
  const found = lstatSync(folder)
  if (found.uid !== 0 && found.uid !== ownUid) {
    return `${folder} ${ownerOf(found)}`
  }
  if ((found.mode & writableByOthers) !== 0 && (found.mode & sticky) === 0) {
    return `every user may write to ${folder}`
  }
  return parent === folder ? undefined : problemAbove(parent)
}

function unixFolderProblem(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found) {
    return undefined
  }
  if (found.isSymbolicLink()) {
    return `${folder} is a link`
  }
  if (!found.isDirectory()) {
    return `${folder} is not a folder`
  }
  if (found.uid !== ownUid) {
    return `${folder} ${ownerOf(found)}`
  }
  if ((found.mode & writableByGroupOrOthers) !== 0) {
    return `other users may write to ${folder}`
  }
  return problemAbove(realpathSync(dirname(folder)))
}

const folderProblem = process.platform === 'win32' ? windowsFolderProblem : unixFolderProblem

/** Throws `UserError` for a folder that another user prepared or can change; a missing folder is accepted. */
export function refusePreparedFolder(folder: string): void {
  const problem = folderProblem(resolve(folder))
  if (problem) {
    throw new UserError(
      `${problem}, so others could read or replace what the agent keeps in ${folder}. Run this as the user who ` +
        `installed the agent; if nobody did, look at what is in that folder, delete it, and try again.`,
    )
  }
}

/** Topmost of the folders that `folder` needs and that are missing; undefined when it exists. */
export function firstMissing(folder: string): string | undefined {
  return existsSync(folder) ? undefined : (firstMissing(dirname(folder)) ?? folder)
}

/** Removes a folder and those above it, as far as they are empty, up to a top one. */
export function removeEmptyFolders(folder: string, isTop: (folder: string) => boolean): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else lives in it, such as another instance, or it was never there.
    return
  }
  if (!isTop(folder)) {
    removeEmptyFolders(dirname(folder), isTop)
  }
}

/** Creates a folder that only its owner may look into. Throws `UserError` where somebody else prepared one. */
export function makePrivateFolder(folder: string): void {
  refusePreparedFolder(folder)
  if (process.platform === 'win32') {
    makeWindowsFolder(folder)
    return
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Check again: another user may have created the folder between the first check and `mkdir`.
  refusePreparedFolder(folder)
  chmodSync(folder, 0o700)
}
