/** Folders in which something is made before it is moved in place. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** No work takes as long. */
const longestMs = 24 * 60 * 60_000

const isOld = (folder: string) => Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > longestMs

/**
 * What a process made that was ended before it could clear up: its number is in the name. After a restart of the machine
 * something else may have that number for good, so that what is old goes in any case.
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
 * Lets `work` make something in a folder of its own below `parent`, whose name begins with a dot and `purpose`. The folder
 * is gone afterwards; one that an interrupted process left goes with the next of its purpose.
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
