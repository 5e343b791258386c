import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { isRoot } from '../../../base/environment.ts'
import { runTool } from '../../../base/run-tool.ts'

/** System user that a process can be started as. */
export interface Owner {
  name: string
  uid: number
  gid: number
  home: string
  /** `/run/user/…`, if the folder exists. */
  runtimeFolder?: string
}

export async function findOwner(userName: string): Promise<Owner | undefined> {
  const line = await runTool('getent', 'passwd', userName)
  const [name = '', , uid = '', gid = '', , home = '/'] = line.trim().split(':')
  if (name === '' || !/^\d+$/.test(uid) || !/^\d+$/.test(gid)) {
    return undefined
  }
  // Listed by name without opening: a user can mount an unresponsive file system there (T37).
  const hasRuntimeFolder = (await readdir('/run/user').catch((): string[] => [])).includes(uid)
  const runtimeFolder = hasRuntimeFolder && { runtimeFolder: `/run/user/${uid}` }
  return { name, uid: Number(uid), gid: Number(gid), home, ...runtimeFolder }
}

const ownUid = process.getuid?.()

const otherUser = (name: string) => `It belongs to the user ${name}, and this agent does not run as root.`

/** Reason why no process may be started in the Wayland session of a user; undefined if permitted. */
export function sessionProblem(userId: number, { uid, name }: Owner): string | undefined {
  if (!isRoot && uid !== ownUid) {
    return otherUser(name)
  }
  return uid === userId ? undefined : `This Wayland session was started by another user than ${name}.`
}

/**
 * Reason why no process may be started on a display as this user; undefined if permitted. Any user can create a display
 * that imitates another user's: a process started there, as root at worst, would hand over the keys pressed in it.
 */
export function ownerProblem(display: string, { uid, name }: Owner): string | undefined {
  const file = `/tmp/.X11-unix/X${display.replace(/^:|\..*$/g, '')}`
  const socket = lstatSync(file, { throwIfNoEntry: false })
  if (!isRoot && uid !== ownUid) {
    return otherUser(name)
  }
  return socket === undefined || socket.uid === 0 || socket.uid === uid
    ? undefined
    : `The display ${display} was put up by another user than ${name}.`
}
