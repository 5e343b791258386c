import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { isRoot } from '../../base/config.ts'
import { runTool } from '../../base/run-tool.ts'

/** A user of the system, as whom a process can be started. */
export interface Owner {
  name: string
  uid: number
  gid: number
  home: string
  /** `/run/user/…`, where there is one. */
  runtimeFolder?: string
}

/** Undefined for a name that the system does not know. */
export async function findOwner(userName: string): Promise<Owner | undefined> {
  const line = await runTool('getent', 'passwd', userName)
  const [name = '', , uid = '', gid = '', , home = '/'] = line.trim().split(':')
  if (name === '' || !/^\d+$/.test(uid) || !/^\d+$/.test(gid)) {
    return undefined
  }
  // Looked for by name: a user can mount a file system there that never answers (T37).
  const hasRuntimeFolder = (await readdir('/run/user').catch((): string[] => [])).includes(uid)
  const runtimeFolder = hasRuntimeFolder && { runtimeFolder: `/run/user/${uid}` }
  return { name, uid: Number(uid), gid: Number(gid), home, ...runtimeFolder }
}

const ownUid = process.getuid?.()

/**
 * Why nothing is started on a display as this user; undefined where it may be. Any user can put up a display of their
 * own and have it look like that of another: what we start there, as root at worst, would get their keys.
 */
export function ownerProblem(display: string, { uid, name }: Owner): string | undefined {
  const file = `/tmp/.X11-unix/X${display.replace(/^:|\..*$/g, '')}`
  const socket = lstatSync(file, { throwIfNoEntry: false })
  if (!isRoot && uid !== ownUid) {
    return `It belongs to the user ${name}, and this agent does not run as root.`
  }
  return socket === undefined || socket.uid === 0 || socket.uid === uid
    ? undefined
    : `The display ${display} was put up by another user than ${name}.`
}
