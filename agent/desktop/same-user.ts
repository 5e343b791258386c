import { readFile } from 'node:fs/promises'

const loopback = '0100007F'
const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** Who made a connection between two ports of 127.0.0.1, from what Linux tells in `/proc/net/tcp`. */
export function ownerOfConnection(table: string, fromPort: number, toPort: number): number | undefined {
  const ends = ` ${loopback}:${hex(fromPort)} ${loopback}:${hex(toPort)} `
  const row = table.split('\n').find((line) => line.includes(ends))
  const uid = row?.trim().split(/\s+/)[7]
  return uid === undefined ? undefined : Number(uid)
}

/** Other systems than Linux do not say which user made a connection. */
export const knowsUsersOfConnections = process.platform === 'linux'

/** Whether the program at the other end of a connection on 127.0.0.1 runs as our user; true where the system does not say. */
export async function isOfSameUser(fromPort: number, toPort: number): Promise<boolean> {
  if (!knowsUsersOfConnections) {
    return true
  }
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => '')
  return ownerOfConnection(table, fromPort, toPort) === process.getuid?.()
}
