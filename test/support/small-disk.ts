import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './server-process.ts'

export interface SmallDisk {
  folder: string
  /** Fills the disk except for `free` bytes. */
  fill(free?: number): void
  /** Removes what `fill` wrote. */
  clear(): void
}

/** Mounts a file system of `size` bytes, unmounted with the test; undefined where this user may not mount. */
export async function mountSmallDisk(size: string): Promise<SmallDisk | undefined> {
  const folder = await temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    fill(free = 0) {
      const descriptor = openSync(filler, 'a')
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(folder)
          const length = Math.min(bavail * bsize - free, 1024 * 1024)
          if (length <= 0) {
            return
          }
          writeSync(descriptor, Buffer.alloc(length))
        }
      } finally {
        closeSync(descriptor)
      }
    },
    clear: () => rmSync(filler, { force: true }),
  }
}
