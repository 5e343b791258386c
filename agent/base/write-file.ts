import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file in one step: a reader sees the old text or the new one, never a part, also after a crash. */
export function writeFileAtomically(file: string, text: string, mode = 0o600): void {
  const temporary = `${file}.${process.pid}.tmp`
  const descriptor = openSync(temporary, 'w', mode)
  try {
    // On a nearly full disk, a single `writeSync` may write a part and report success.
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  syncFolder(dirname(file))
}

/** Flushes the entries of a folder to disk. Windows rejects this (EPERM); NTFS logs the change of a name. */
function syncFolder(folder: string) {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') {
      throw error
    }
  } finally {
    closeSync(descriptor)
  }
}
