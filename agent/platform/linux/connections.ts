import { readFile } from 'node:fs/promises'

const loopback = '0100007F'
const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** Uid of the process that opened a connection between two ports of 127.0.0.1, from a table like `/proc/net/tcp`. */
export function ownerIn(table: string, fromPort: number, toPort: number): number | undefined {
  const ends = ` ${loopback}:${hex(fromPort)} ${loopback}:${hex(toPort)} `
  const start = table.indexOf(ends)
  const uid = start === -1 ? undefined : table.slice(start).trimStart().split(/\s+/, 7)[6]
  return uid === undefined ? undefined : Number(uid)
}

let current: Promise<unknown> = Promise.resolve()
let next: Promise<string> | undefined

/** Reads the table. Calls during a read share the next one, because a busy system has thousands of rows. */
function readTable(): Promise<string> {
  next ??= current.then(() => {
    next = undefined
    const table = readFile('/proc/net/tcp', 'utf8').catch(() => '')
    current = table
    return table
  })
  return next
}

export const ownerOfConnection = async (fromPort: number, toPort: number): Promise<number | undefined> =>
  ownerIn(await readTable(), fromPort, toPort)
