import { statfs } from 'node:fs/promises'
import { AppError } from '../ground/errors.ts'
import type { Log } from '../ground/log.ts'

const mebibyte = 1024 * 1024

interface Dependencies {
  /** The data folder. */
  directory: string
  /** Free bytes below which uploads are refused; 0 or less: never. */
  leastFree: () => number
  log: Log
}

export class DiskSpace {
  readonly #deps: Dependencies
  #wasLow = false

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Free and total bytes for this process; undefined if the system does not report them. */
  async read(): Promise<{ free: number; total: number } | undefined> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#deps.directory)
      return { free: bavail * bsize, total: blocks * bsize }
    } catch {
      return undefined
    }
  }

  /** Whether less than the configured space is free. */
  async isLow(): Promise<boolean> {
    const space = await this.read()
    return space !== undefined && space.free < this.#deps.leastFree()
  }

  /** Throws 507 while less than the configured space is free: what remains is for the database and its sessions. */
  async requireRoom(): Promise<void> {
    if (await this.isLow()) {
      const least = Math.ceil(this.#deps.leastFree() / mebibyte)
      throw new AppError(
        507,
        `The disk of the server has less than ${least} MB free, so uploads are refused. Make room on it and try again.`,
      )
    }
  }

  /** Logs that the space became low, and that there is room again. */
  async watch(): Promise<void> {
    const isLow = await this.isLow()
    if (isLow !== this.#wasLow) {
      this.#wasLow = isLow
      const { directory, log } = this.#deps
      const fields = { directory, ...(await this.read()) }
      if (isLow) {
        log.warn(fields, 'The disk of the data folder is almost full: uploads are refused until there is room.')
      } else {
        log.info(fields, 'The disk of the data folder has room again.')
      }
    }
  }
}
