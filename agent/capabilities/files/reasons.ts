import { UserError } from '../../base/errors.ts'
import { platform } from '../../platform/index.ts'

/** Failure whose message is safe to send to the server's users. */
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

/** Builds the reason of a failed file operation, with the path of the failure. */
export function reasonOf(error: unknown, path: string): string {
  if (error instanceof Refusal || error instanceof UserError) {
    return error.message
  }
  const { code = '', message } = error as NodeJS.ErrnoException
  return `${reasons[code] ?? message}: ${path}${code === 'EPERM' ? platform.files.deniedAdvice : ''}`
}
