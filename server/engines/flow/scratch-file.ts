import { randomUUID } from 'node:crypto'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** Folder of scratch files, on systems that cannot unlink open files. */
export const scratchDirectoryOf = ({ dataDirectory }: { dataDirectory: string }) => join(dataDirectory, 'uploads')

/** A private temporary file, removed after its use. */
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
    // Unlinked at once where the system allows it, so that not even a crash leaves the file behind.
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
