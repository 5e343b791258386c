import { existsSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UserError } from '../base/errors.ts'
import { platform } from './index.ts'

/** Throws `UserError` for a folder that another user prepared or can change; a missing folder is accepted. */
export function refusePreparedFolder(folder: string): void {
  const problem = platform.files.folderProblem(resolve(folder))
  if (problem) {
    throw new UserError(
      `${problem}, so others could read or replace what the agent keeps in ${folder}. Run this as the user who ` +
        `installed the agent; if nobody did, look at what is in that folder, delete it, and try again.`,
    )
  }
}

/** Topmost of the folders that `folder` needs and that are missing; undefined when it exists. */
export function firstMissing(folder: string): string | undefined {
  return existsSync(folder) ? undefined : (firstMissing(dirname(folder)) ?? folder)
}

/** Removes a folder and those above it, as far as they are empty or missing, up to a top one. */
export function removeEmptyFolders(folder: string, isTop: (folder: string) => boolean): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      // The folder holds other files, such as another instance.
      return
    }
  }
  if (!isTop(folder)) {
    removeEmptyFolders(dirname(folder), isTop)
  }
}

/** Creates a folder that only its owner may look into. Throws `UserError` where somebody else prepared one. */
export function makePrivateFolder(folder: string): void {
  refusePreparedFolder(folder)
  platform.files.createPrivateFolder(folder)
  // Check again: another user may have created the folder between the check and the creation.
  refusePreparedFolder(folder)
}
