import { chmodSync, lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'

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

/** Returns the problem of a folder; undefined if the folder is usable or missing. */
export function unixFolderProblem(folder: string): string | undefined {
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

/** Creates a folder, and closes it to other users unless another user created it meanwhile. */
export function makeUnixFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (unixFolderProblem(resolve(folder)) === undefined) {
    chmodSync(folder, 0o700)
  }
}
