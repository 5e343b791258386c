import { hostname } from 'node:os'

/** What a display server asks its programs to show: a name of the method and a secret, in Latin-1. */
export interface Authority {
  name: string
  data: string
}

const localFamily = 256
const anyFamily = 65_535

/** The entry of an Xauthority file for a display of this machine; empty strings when there is none. */
export function findAuthority(file: Buffer, displayNumber: string): Authority {
  let at = 0
  const readField = () => {
    const end = at + 2 + file.readUInt16BE(at)
    const text = file.toString('latin1', at + 2, end)
    if (end > file.length) {
      throw new RangeError('The file ends within an entry.')
    }
    at = end
    return text
  }
  let inexact: Authority | undefined
  try {
    while (at + 2 <= file.length) {
      const family = file.readUInt16BE(at)
      at += 2
      const [address, number, name, data] = [readField(), readField(), readField(), readField()]
      const isOfDisplay = (number === '' || number === displayNumber) && name === 'MIT-MAGIC-COOKIE-1'
      if (isOfDisplay && family === localFamily && address === hostname()) {
        return { name, data }
      }
      if (isOfDisplay && (family === anyFamily || family === localFamily)) {
        // A machine that was given a new name after the file was written.
        inexact ??= { name, data }
      }
    }
  } catch {
    // A file that is being written: what was complete counts.
  }
  return inexact ?? { name: '', data: '' }
}
