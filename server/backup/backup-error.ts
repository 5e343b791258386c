import { StartError } from '../ground/start-error.ts'

/** A backup or a restore that cannot continue. The message names the problem and the solution. */
export class BackupError extends StartError {
  override readonly name = 'BackupError'
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full: make room there and try again',
  EDQUOT: 'the quota of its disk is used up: make room there and try again',
  EFBIG: 'its disk does not take a file of that size',
  SQLITE_FULL: 'its disk is full: make room there and try again',
  EACCES: 'this user may not write there: change its permissions or choose another folder',
  EPERM: 'this user may not write there: change its permissions or choose another folder',
  EROFS: 'it is read-only: choose another folder',
  ENOENT: 'it does not exist: connect its disk, or choose another folder',
  ENOTDIR: 'it is not a folder: choose another one',
  EIO: 'its disk reports errors: choose another one',
}

/** Sentence for an error of the file system at `place`; other errors are returned unchanged. */
export function explainAt(place: string, error: unknown): unknown {
  const reason = reasons[codeOf(error)]
  return reason === undefined || error instanceof BackupError
    ? error
    : new BackupError(`${place} cannot be used, ${reason}.`, { cause: error })
}
