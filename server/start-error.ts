/**
 * The server cannot start for a reason that an administrator can fix. The message names the problem and the solution.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}
