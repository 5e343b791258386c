import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { bestEffort } from '../base/best-effort.ts'
import type { WriteLine } from '../base/log.ts'
import { makePrivateFolder, refusePreparedFolder } from '../platform/folders.ts'

const maxFileBytes = 5 * 1024 * 1024

/** Appends to `LogFile.log`; a full file is rotated to `LogFile.1.log`, which replaces the previous rotation. */
export function logFile(folder: string): WriteLine {
  refusePreparedFolder(folder)
  const file = join(folder, 'LogFile.log')
  let descriptor: number | undefined
  let size = 0
  const rotate = () => {
    if (descriptor !== undefined && size > maxFileBytes) {
      // Close only once: the number may belong to another file by the next line.
      const full = descriptor
      descriptor = undefined
      closeSync(full)
      renameSync(file, join(folder, 'LogFile.1.log'))
    }
  }
  const open = () => {
    makePrivateFolder(folder)
    const opened = openSync(file, 'a', 0o600)
    size = fstatSync(opened).size
    return opened
  }
  return (line) =>
    bestEffort(() => {
      rotate()
      size += writeSync((descriptor ??= open()), line)
    })
}
