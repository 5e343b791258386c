/** Error with a sentence for people: what happened and what to do. */
export class UserError extends Error {
  override name = 'UserError'
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied. Run it as root or administrator, or as the user who installed the agent.',
  EPERM: 'permission denied. Run it as root or administrator, or as the user who installed the agent.',
  EROFS: 'the disk is read-only. Choose another folder with --data-dir.',
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota of this user is used up.',
  ENOTDIR: 'a part of that path is not a folder. Choose another one with --data-dir.',
}

/** Text of a failure for people: the message if the cause is outside of this program, otherwise with the stack. */
export function textOf(error: unknown): string {
  if (error instanceof UserError) {
    return error.message
  }
  const { code = '', syscall, path, stack } = error as NodeJS.ErrnoException
  const reason = reasons[code]
  return reason ? `Cannot ${[syscall, path].filter(Boolean).join(' ')}: ${reason}` : String(stack)
}

/** Message without its full stop and without the stack, for use inside a sentence. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
