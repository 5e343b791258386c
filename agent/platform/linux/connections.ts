import { readFile } from 'node:fs/promises'

const loopback = '0100007F'
const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** Uid of the process that opened a connection between two ports of 127.0.0.1, from a table like `/proc/net/tcp`. */
export function ownerIn(table: string, fromPort: number, toPort: number): number | undefined {
  const ends = ` ${loopback}:${hex(fromPort)} ${loopback}:${hex(toPort)} `
  const row = table.split('\n').find((line) => line.includes(ends))
  const uid = row?.trim().split(/\s+/)[7]
  return uid === undefined ? undefined : Number(uid)
}

export const ownerOfConnection = async (fromPort: number, toPort: number): Promise<number | undefined> =>
  ownerIn(await readFile('/proc/net/tcp', 'utf8').catch(() => ''), fromPort, toPort)
