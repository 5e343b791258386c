import { isRoot } from '../../base/environment.ts'
import { UserError } from '../../base/errors.ts'
import type { FolderOwner } from '../platform.ts'
import { findOwner } from './desktops/owner.ts'

/** User of a desktop, for files that an agent of root writes there. */
export async function folderOwner(username: string): Promise<FolderOwner | undefined> {
  if (!isRoot) {
    return undefined
  }
  const found = await findOwner(username)
  if (!found) {
    throw new UserError(`The device has no user ${username}.`)
  }
  return { uid: found.uid }
}
