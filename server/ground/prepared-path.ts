import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const ownUid = process.getuid?.()

const writableByGroup = 0o020
const writableByOthers = 0o002
/** In a folder with this bit, such as /tmp, users cannot replace files of other users. */
const sticky = 0o1000
/** Limit of Linux. */
const maxLinks = 40

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** Many systems give each user a private group with the user's number, and allow it to write the user's files. */
const othersMayWrite = ({ mode, uid, gid }: Stats) =>
  (mode & (gid === uid ? writableByOthers : writableByOthers | writableByGroup)) !== 0

interface Judging {
  isParent?: boolean
  /** Further users who may own and write entries. */
  trusted?: readonly number[]
}

/** Explains why other users may have created or changed an entry, and how to fix it. */
function problemOf(path: string, { isParent = false, trusted = [] }: Judging = {}): string | undefined {
  const found = statOf(path)
  if (!found) {
    return undefined
  }
  if (found.uid !== 0 && found.uid !== ownUid && !trusted.includes(found.uid)) {
    return `${path} belongs to another user (${found.uid}): check what is in it, then change its owner (chown ${ownUid} ${path})`
  }
  const isOpen = !found.isSymbolicLink() && othersMayWrite(found)
  return isOpen && !(isParent && (found.mode & sticky) !== 0)
    ? `other users may write to ${path}: check what is in it, then restrict it (chmod go-w ${path})`
    : undefined
}

/** Checks an entry, all folders above it, and the targets of links among them. */
function problemAlong(path: string, judging: Judging, links = 0): string | undefined {
  const problem = problemOf(path, judging)
  if (problem !== undefined || dirname(path) === path) {
    return problem
  }
  const above = { ...judging, isParent: true }
  if (statOf(path)?.isSymbolicLink() && links < maxLinks) {
    const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
    return problemAlong(target, judging, links + 1) ?? problemAlong(dirname(path), above, links)
  }
  return problemAlong(dirname(path), above, links)
}

/**
 * Explains how users other than root and this user may have prepared a file or folder, and how to fix it; undefined if
 * none could (T36). A missing path is judged by the folders above it. On Windows, inherited permissions keep other
 * users out.
 */
export const preparedProblem = (path: string, trusted: readonly number[] = []): string | undefined =>
  ownUid === undefined ? undefined : problemAlong(resolve(path), { trusted })

/** Checks a folder and its direct entries. */
export function preparedFolderProblem(folder: string): string | undefined {
  const problem = preparedProblem(folder)
  if (problem !== undefined || ownUid === undefined || !statOf(folder)) {
    return problem
  }
  return readdirSync(folder)
    .map((name) => problemOf(join(folder, name)))
    .find((each) => each !== undefined)
}
