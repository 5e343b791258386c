import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs'
import path from 'node:path'

const maxBytes = 10 * 1024 * 1024

/**
 * A window has no terminal to read: the log goes to a file. One that has grown past 10 MB is set aside at the next start,
 * so that at most two remain.
 */
export function openLogFile(folder: string): WriteStream {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'farhand.log')
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) {
    renameSync(file, path.join(folder, 'farhand.old.log'))
  }
  return createWriteStream(file, { flags: 'a', mode: 0o600 })
}
