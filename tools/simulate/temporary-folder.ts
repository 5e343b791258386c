import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder that is removed at the end of its scope, or of the process where that exits before. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'farhand-bench-'))
  const options = { recursive: true, force: true, maxRetries: 3 }
  const removeNow = () => rmSync(path, options)
  process.once('exit', removeNow)
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, options)
      process.off('exit', removeNow)
    },
  }
}
