import { platform } from '../platform/index.ts'

const { ownerOfConnection } = platform.processes

/** Whether the system reports the user of a connection; only Linux does. */
export const knowsUsersOfConnections = ownerOfConnection !== undefined

/**
 * Returns whether the peer of a connection on 127.0.0.1 runs as our user; true on systems that do not report the user.
 */
export const isOfSameUser = async (fromPort: number, toPort: number): Promise<boolean> =>
  ownerOfConnection === undefined || (await ownerOfConnection(fromPort, toPort)) === process.getuid?.()
