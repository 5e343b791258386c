/**
 * The server cannot start for a reason that an administrator can remove. The message says what is wrong and what to do.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}
