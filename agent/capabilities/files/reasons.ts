import { UserError } from '../../base/errors.ts'

/** A failure whose message a person at the server may read. */
export class Refusal extends Error {
  override name = 'Refusal'
}

export const notThere = 'Target path does not exist'

const reasons: Record<string, string> = {
  EACCES: 'Permission denied',
  EPERM: 'Permission denied',
  EROFS: 'That disk can only be read',
  ENOSPC: 'The disk of the device is full',
  EDQUOT: 'The space on that disk is used up',
  ENOENT: notThere,
  ENOTDIR: notThere,
  EBUSY: 'It is in use',
  ENOTEMPTY: 'Something was put into the directory meanwhile',
  ENAMETOOLONG: 'The path is too long',
  ELOOP: 'The path leads through too many links',
  EMFILE: 'The device has too many open files',
}

/** What macOS calls not permitted to root too is for the person at the Mac to allow. */
const privacyHint =
  '. macOS lets the agent in there once somebody at the Mac allows "node": System Settings, Privacy & Security, ' +
  'Full Disk Access'

/** Why a file operation failed, with the path that it failed at. */
export function reasonOf(error: unknown, path: string): string {
  if (error instanceof Refusal || error instanceof UserError) {
    return error.message
  }
  const { code = '', message } = error as NodeJS.ErrnoException
  return `${reasons[code] ?? message}: ${path}${code === 'EPERM' && process.platform === 'darwin' ? privacyHint : ''}`
}
