import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'

/** Argument that names the user for a desktop's process, for systems where the agent cannot spawn as that user. */
export const asUser = ({ uid, gid }: { uid: number; gid: number }): string => `--as=${uid}:${gid}`

/** Switches the process to that user permanently; does nothing if the argument names no user. */
function becomeUser(argument: string): void {
  const [, uid, gid] = /^--as=(\d+):(\d+)$/.exec(argument) ?? []
  if (uid !== undefined) {
    process.setgroups?.([Number(gid)])
    process.setgid?.(Number(gid))
    process.setuid?.(Number(uid))
  }
}

/** Descriptor of the socket to the agent in a desktop's process. */
const parentFd = 3

function parentSocket(): Socket | undefined {
  try {
    return fstatSync(parentFd).isSocket() ? new Socket({ fd: parentFd }) : undefined
  } catch {
    return undefined
  }
}

/** Opens the socket that the parent passed to this process, and switches to the user that the argument names. */
export function channelToAgent(argument: string): Socket | undefined {
  const socket = parentSocket()
  if (socket) {
    becomeUser(argument)
  }
  return socket
}
