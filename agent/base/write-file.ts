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
  if (process.platform !== 'win32') {
    const folder = openSync(dirname(file), 'r')
    fsyncSync(folder)
    closeSync(folder)
  }
}
