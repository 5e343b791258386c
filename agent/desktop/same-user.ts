import { readFile } from 'node:fs/promises'

const loopback = '0100007F'
const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/**
 * Uid of the process that opened a connection between two ports of 127.0.0.1, from the table `/proc/net/tcp` of Linux.
 */
export function ownerOfConnection(table: string, fromPort: number, toPort: number): number | undefined {
  const ends = ` ${loopback}:${hex(fromPort)} ${loopback}:${hex(toPort)} `
  const row = table.split('\n').find((line) => line.includes(ends))
  const uid = row?.trim().split(/\s+/)[7]
  return uid === undefined ? undefined : Number(uid)
}

/** Whether the system reports the user of a connection; only Linux does. */
export const knowsUsersOfConnections = process.platform === 'linux'

/**
 * Returns whether the peer of a connection on 127.0.0.1 runs as our user; true on systems that do not report the user.
 */
export async function isOfSameUser(fromPort: number, toPort: number): Promise<boolean> {
  if (!knowsUsersOfConnections) {
    return true
  }
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => '')
  return ownerOfConnection(table, fromPort, toPort) === process.getuid?.()
}
