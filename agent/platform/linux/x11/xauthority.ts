import { hostname } from 'node:os'
import { isolatedReader } from '../../../base/isolated-reader.ts'

/** Credentials for a display server: name of the method and secret, in Latin-1. */
export interface Authority {
  name: string
  data: string
}

const localFamily = 256
const anyFamily = 65_535

/** Entry of an Xauthority file for a display of this machine; empty strings without an entry. */
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
        // The machine was renamed after the file was written.
        inexact ??= { name, data }
      }
    }
  } catch {
    // The file is being written: use the complete entries.
  }
  return inexact ?? { name: '', data: '' }
}

/** Limit for Xauthority files: other users choose these paths, so a path may lead to a device or an endless file. */
const maxAuthorityBytes = 1024 * 1024
const ownUid = process.getuid?.() ?? 0

/** Reads the credentials for a display; with an owner only from a file of that user. Empty strings without an entry. */
export async function readAuthority(
  displayNumber: string,
  path: string | undefined,
  owner?: number,
): Promise<Authority> {
  let found: Authority = { name: '', data: '' }
  const files = path === undefined ? [] : [{ path, userId: owner ?? ownUid, ownerId: owner }]
  await isolatedReader.read(files, maxAuthorityBytes, (_, bytes) => {
    found = findAuthority(bytes, displayNumber)
  })
  return found
}
