import { existsSync } from 'node:fs'
import { runTool } from '../platform/run-tool.ts'

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
  const runtimeFolder = `/run/user/${uid}`
  return { name, uid: Number(uid), gid: Number(gid), home, ...(existsSync(runtimeFolder) && { runtimeFolder }) }
}
