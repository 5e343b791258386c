import { randomUUID } from 'node:crypto'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../call.ts'
import { AppError } from '../../errors.ts'

const chunkBytes = 64 * 1024

/** A file of ours that nobody else can open and that does not outlive its use. */
export class SpooledFile {
  readonly #file: FileHandle
  readonly #path: string
  size = 0

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  static async create({ config }: App): Promise<SpooledFile> {
    const directory = join(config.dataDirectory, 'uploads')
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const path = join(directory, randomUUID())
    const file = new SpooledFile(await open(path, 'wx+', 0o600), path)
    // Where the system lets us, it has no name from now on: not even a crash leaves it behind.
    await file.#remove().catch(() => {})
    return file
  }

  async fill(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of bytes) {
        await this.#file.writev([chunk])
        this.size += chunk.length
      }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC'
        ? new AppError(503, 'The server has no room for the file. Send targetSaveDirectory and overwrite before it.')
        : error
    }
  }

  async *read(): AsyncIterable<Uint8Array> {
    for (let position = 0; position < this.size;) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#remove()
  }

  #remove() {
    return rm(this.#path, { force: true })
  }
}
