import { mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'

const maxBytes = 10 * 1024 * 1024

export const logFileIn = (folder: string) => path.join(folder, 'farhand.log')

/**
 * Opens the log file, because a window has no terminal. Rotates a log above 10 MB at start, so that at most two files
 * remain.
 */
export function openLogFile(folder: string): { write(line: string): void } {
  const file = logFileIn(folder)
  let descriptor: number | undefined
  const open = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) {
      renameSync(file, path.join(folder, 'farhand.old.log'))
    }
    return openSync(file, 'a', 0o600)
  }
  return {
    write(line) {
      try {
        writeSync((descriptor ??= open()), line)
      } catch {
        // A full disk loses log lines but must not end the window. A stream would stay closed after its first error.
      }
    },
  }
}
