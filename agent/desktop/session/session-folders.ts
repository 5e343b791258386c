import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Mutex } from '../../../shared/mutex.ts'
import { folderPurpose } from '../../../shared/remote-control/values.ts'
import { UserError } from '../../base/errors.ts'
import { platform } from '../../platform/index.ts'

/**
 * Pasted folders kept in a session: a program of the device may still copy from one of them. Older ones are removed, so
 * that a viewer cannot fill the disk with folders.
 */
const mostFolders = 20

const prefix = 'farhand-clipboard-'
/** Pid of the process that made a folder. */
const ofProcess = new RegExp(`^${prefix}(\\d+)-`)

const isPlainName = (name: string) => name !== '' && name !== '.' && name !== '..' && basename(name) === name

/** False only if no process has this id: one of another user cannot be signaled. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true }).catch(() => undefined)

/** Removes folders of processes that were killed. Other users could have prepared links in theirs. */
async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names) {
    const pid = ofProcess.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) {
      const folder = join(tmpdir(), name)
      const found = await lstat(folder).catch(() => undefined)
      if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) {
        await removeFolder(folder)
      }
    }
  }
}

/**
 * Folders for files of the viewer. This process makes them, so they belong to the user of the desktop; an agent of root
 * writes to no other ones (T32).
 */
export class SessionFolders {
  #root: string | undefined
  #made = 0
  /** A folder is made before a later request removes it. */
  readonly #turns = new Mutex()
  /** Folder for the files that are pasted next. */
  #newest: string | undefined

  async folderFor(purpose: number): Promise<string> {
    if (purpose === folderPurpose.Drop) {
      return await platform.desktops.dropFolder()
    }
    return await this.#turns.run(() => this.#makeFolder())
  }

  async #makeFolder(): Promise<string> {
    if (this.#root === undefined) {
      await removeAbandoned()
      this.#root = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
    }
    const number = ++this.#made
    const folder = join(this.#root, String(number))
    await mkdir(folder)
    await removeFolder(join(this.#root, String(number - mostFolders)))
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
    await this.#turns.run(async () => {
      if (this.#root !== undefined) {
        await removeFolder(this.#root)
      }
    })
  }
}
