import { isRoot } from '../../base/environment.ts'
import { UserError } from '../../base/errors.ts'

/**
 * Rejects for an agent of root: macOS has no path that stays bound to an open folder, so that its user could lead the
 * files elsewhere (T32). An agent of the user writes what that user may write.
 */
export async function folderOwner(): Promise<undefined> {
  if (isRoot) {
    throw new UserError(
      'On macOS an agent that runs as root writes no files into the folder of a person. Name another folder, or send them on the Files tab.',
    )
  }
}
