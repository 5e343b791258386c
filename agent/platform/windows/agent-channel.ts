import { connect, type Socket } from 'node:net'

/** Connects to the agent's pipe; the argument of a desktop's process is the name of the pipe. */
export const channelToAgent = (argument: string): Socket | undefined =>
  /^\\\\\.\\pipe\\farhand-desktop-[0-9a-f]{32}$/.test(argument) ? connect(argument) : undefined
