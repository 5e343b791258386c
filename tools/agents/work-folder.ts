/** Temporary folders for builds that are moved into place. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { dayMs } from '../../shared/durations.ts'

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Maximum duration of a build. */
const longestMs = dayMs

const isOld = (folder: string) => Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > longestMs

/**
 * Deletes folders of processes that ended before their cleanup; folder names contain the process id. Old folders are
 * deleted in any case, because another process may have the id after a restart.
 */
function removeLeftovers(parent: string, prefix: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    const folder = path.join(parent, name)
    const [, pid] = /^(\d+)-/.exec(name.slice(prefix.length)) ?? []
    if (isOld(folder) || (pid !== undefined && !isRunning(Number(pid)))) {
      remove(folder)
    }
  }
}

/**
 * Runs `work` with a temporary folder below `parent`, whose name begins with a dot and `purpose`. Deletes the folder
 * afterwards, and leftover folders of interrupted processes with the same purpose.
 */
export async function inWorkFolder<Result>(
  parent: string,
  purpose: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const prefix = `.${purpose}-`
  mkdirSync(parent, { recursive: true })
  removeLeftovers(parent, prefix)
  const folder = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`))
  const clear = () => remove(folder)
  process.once('exit', clear)
  try {
    return await work(folder)
  } finally {
    clear()
    process.off('exit', clear)
  }
}
