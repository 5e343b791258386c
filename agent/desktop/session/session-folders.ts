import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { folderPurpose } from '../../../shared/remote-control/values.ts'
import { UserError } from '../../base/errors.ts'
import { platform } from '../../platform/index.ts'

const isPlainName = (name: string) => name !== '' && name !== '.' && name !== '..' && basename(name) === name

/** Folders for files of the viewer. This process makes them, so they belong to the user of the desktop (T32). */
export class SessionFolders {
  #root: Promise<string> | undefined
  #made = 0
  /** Folder for the files that are pasted next. */
  #newest: string | undefined

  async folderFor(purpose: number): Promise<string> {
    if (purpose === folderPurpose.Drop) {
      return await platform.desktops.dropFolder()
    }
    // Only this user can open it.
    this.#root ??= mkdtemp(join(tmpdir(), 'farhand-clipboard-'))
    const folder = join(await this.#root, String(++this.#made))
    await mkdir(folder)
    this.#newest = folder
    return folder
  }

  /** Paths of files in the folder that was made last. Rejects for files that are not there. */
  async uploaded(names: readonly string[]): Promise<string[]> {
    const folder = this.#newest
    if (folder === undefined || names.length === 0 || !names.every(isPlainName)) {
      throw new UserError('These files were not sent for pasting.')
    }
    const paths = names.map((name) => join(folder, name))
    await Promise.all(paths.map((path) => lstat(path))).catch(() => {
      throw new UserError('These files did not arrive.')
    })
    return paths
  }

  /** Removes the pasted files; programs of the device have copied what they needed. */
  async remove(): Promise<void> {
    const root = await this.#root?.catch(() => undefined)
    if (root !== undefined) {
      await rm(root, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}
