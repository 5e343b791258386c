import { randomUUID } from 'node:crypto'
import { win32 } from 'node:path'
import { UserError } from '../../base/errors.ts'
import type { FolderOwner, PinnedFolder } from '../platform.ts'
import { common, reasonOf, type Handle } from './library.ts'
import { listSessions } from './sessions.ts'
import { ownSid, systemSid, userOfSession } from './users.ts'
import { fileapi } from './win32/fileapi.ts'
import { userenv } from './win32/userenv.ts'

const readAndWrite = 0xc0000000
const createNew = 1
/** Hidden, temporary, and deleted with its handle, also if this process is killed. */
const flags = 0x2 | 0x100 | 0x04000000
const invalidHandle = -1
/** Length of the longest path of Windows, in characters. */
const longestPath = 32_768

const elsewhere = new UserError(
  'Farhand sends files from a session only into folders of the person there. Send them on the Files tab.',
)

/** Path of an open file without links, such as `C:\Users\Anna\Desktop\file`. */
function finalPathOf(file: Handle): string {
  const { getFinalPathNameByHandle } = fileapi.now()
  const name = Buffer.alloc(longestPath * 2)
  const length = getFinalPathNameByHandle(file, name, longestPath, 0)
  const path = name.toString('utf16le', 0, length * 2)
  // A folder of the network has another prefix, and belongs to no person of this device.
  if (!/^\\\\\?\\[A-Z]:\\/i.test(path)) {
    throw elsewhere
  }
  return path.slice('\\\\?\\'.length)
}

const isInside = (folder: string, parent: string) =>
  `${folder}\\`.toLowerCase().startsWith(`${win32.normalize(parent)}\\`.toLowerCase())

/**
 * Keeps a folder where it is, by an open file in it: Windows renames no folder above an open file, and makes no link of a
 * folder that is not empty. Throws `UserError` for a folder outside of `parent`, wherever links lead (T32).
 */
export function pinFolder(path: string, parent: string): PinnedFolder {
  // Looked at by nothing: SYSTEM would sign in to a server that a user of the device names.
  if (!/^[A-Z]:[\\/]/i.test(path)) {
    throw elsewhere
  }
  const { closeHandle, lastError } = common.now()
  const name = win32.join(path, `.${randomUUID()}.farhand-pin`)
  const file = fileapi.now().createFile(name, readAndWrite, 0, null, createNew, flags, 0)
  if (file === invalidHandle) {
    throw new UserError(`Windows does not let the agent write into this folder: ${reasonOf(lastError())}.`)
  }
  try {
    const folder = win32.dirname(finalPathOf(file))
    if (!isInside(folder, parent)) {
      throw elsewhere
    }
    return { path: folder, release: () => void closeHandle(file) }
  } catch (error) {
    closeHandle(file)
    throw error
  }
}

/** Profile folder of a signed-in user. Rejects with a UserError. */
async function profileOf(username: string): Promise<string> {
  const session = (await listSessions()).find(({ user }) => user === username)
  if (!session) {
    throw new UserError(`${username} is not signed in at the device.`)
  }
  const { closeHandle, lastError } = await common()
  const { token } = await userOfSession(session.id)
  try {
    const folder = Buffer.alloc(longestPath * 2)
    if (!(await userenv()).getUserProfileDirectory(token, folder, [longestPath])) {
      throw new UserError(`Windows does not name the folders of ${username}: ${reasonOf(lastError())}.`)
    }
    return folder.toString('utf16le').replace(/\0.*$/s, '')
  } finally {
    closeHandle(token)
  }
}

/** User of a desktop, for files that the agent's service writes there. */
export async function folderOwner(username: string): Promise<FolderOwner | undefined> {
  if ((await ownSid()) !== systemSid) {
    return undefined
  }
  const [profile] = await Promise.all([profileOf(username), fileapi()])
  return { pin: (path) => pinFolder(path, profile) }
}
