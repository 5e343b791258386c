import type { App } from '../../call.ts'
import { AppError } from '../../errors.ts'
import { ScratchFile, scratchDirectoryOf } from '../../memory/scratch-file.ts'

const chunkBytes = 64 * 1024

/** What somebody sends, kept until it is passed on. */
export class SpooledFile {
  readonly #file: ScratchFile
  size = 0

  private constructor(file: ScratchFile) {
    this.#file = file
  }

  static async create({ config }: App): Promise<SpooledFile> {
    return new SpooledFile(await ScratchFile.create(scratchDirectoryOf(config)))
  }

  async fill(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of bytes) {
        await this.#file.handle.writev([chunk])
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
      const { bytesRead, buffer } = await this.#file.handle.read(
        Buffer.allocUnsafe(chunkBytes),
        0,
        chunkBytes,
        position,
      )
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
