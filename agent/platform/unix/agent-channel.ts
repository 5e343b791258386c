import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { becomeUser } from './become-user.ts'

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
