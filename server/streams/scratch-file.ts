import { randomUUID } from 'node:crypto'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** Where they lie, where the system does not hide them. */
export const scratchDirectoryOf = ({ dataDirectory }: { dataDirectory: string }) => join(dataDirectory, 'uploads')

/** A file of ours that nobody else can open and that does not outlive its use. */
export class ScratchFile {
  readonly handle: FileHandle
  readonly #path: string

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle
    this.#path = path
  }

  static async create(directory: string): Promise<ScratchFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const path = join(directory, randomUUID())
    const file = new ScratchFile(await open(path, 'wx+', 0o600), path)
    // Where the system lets us, it has no name from now on: not even a crash leaves it behind.
    await file.#remove().catch(() => {})
    return file
  }

  async close(): Promise<void> {
    await this.handle.close()
    await this.#remove()
  }

  #remove() {
    return rm(this.#path, { force: true })
  }
}
