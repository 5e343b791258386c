/**
 * The server cannot start for a reason that an administrator can fix. The message names the problem and the solution.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** The data of an installation is damaged, missing or of a newer version, and a backup brings it back. */
export class DataError extends StartError {}
