import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file in one step: a reader sees the old text or the new one, never a part, also after a crash. */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  const descriptor = openSync(temporary, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  if (process.platform !== 'win32') {
    const folder = openSync(dirname(file), 'r')
    fsyncSync(folder)
    closeSync(folder)
  }
}
