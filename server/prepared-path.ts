import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const ownUid = process.getuid?.()

const writableByGroup = 0o020
const writableByOthers = 0o002
/** In a folder with this bit, such as /tmp, nobody replaces what belongs to somebody else. */
const sticky = 0o1000
/** As many as Linux follows. */
const mostLinks = 40

const lookAt = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** Many systems give each user a private group with the user's number, and let it write to all that the user makes. */
const othersMayWrite = ({ mode, uid, gid }: Stats) =>
  (mode & (gid === uid ? writableByOthers : writableByOthers | writableByGroup)) !== 0

/** Why other users may have made or changed one entry, and what to do. */
function problemOf(path: string, { isParent = false } = {}): string | undefined {
  const found = lookAt(path)
  if (!found) {
    return undefined
  }
  if (found.uid !== 0 && found.uid !== ownUid) {
    return `${path} belongs to another user (${found.uid}): check what is in it, then take it over (chown ${ownUid} ${path})`
  }
  const isOpen = !found.isSymbolicLink() && othersMayWrite(found)
  return isOpen && !(isParent && (found.mode & sticky) !== 0)
    ? `other users may write to ${path}: check what is in it, then close it (chmod go-w ${path})`
    : undefined
}

/** Checks an entry, all folders above it, and the targets of links among them. */
function problemAlong(path: string, isParent: boolean, links = 0): string | undefined {
  const problem = problemOf(path, { isParent })
  if (problem !== undefined || dirname(path) === path) {
    return problem
  }
  if (lookAt(path)?.isSymbolicLink() && links < mostLinks) {
    const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
    return problemAlong(target, isParent, links + 1) ?? problemAlong(dirname(path), true, links)
  }
  return problemAlong(dirname(path), true, links)
}

/**
 * Says why others than root and this user may have prepared a file or folder, and what to do; undefined when nobody could
 * (T36). A path that does not exist yet is judged by the folders above it. Windows keeps other users out by inheritance.
 */
export const preparedProblem = (path: string): string | undefined =>
  ownUid === undefined ? undefined : problemAlong(resolve(path), false)

/** Checks a folder and its direct entries. */
export function preparedFolderProblem(folder: string): string | undefined {
  const problem = preparedProblem(folder)
  if (problem !== undefined || ownUid === undefined || !lookAt(folder)) {
    return problem
  }
  return readdirSync(folder)
    .map((name) => problemOf(join(folder, name)))
    .find((each) => each !== undefined)
}
