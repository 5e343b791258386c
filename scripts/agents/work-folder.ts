/** Folders in which something is made before it is moved in place. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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

/** What a process made that was ended before it could clear up: its number is in the name. */
function removeLeftovers(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : []
    if (pid !== undefined && !isRunning(Number(pid))) {
      remove(path.join(parent, name))
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
