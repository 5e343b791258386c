import { AppError } from '../ground/errors.ts'
import type { FullLimit } from '../engines/flow/byte-budget.ts'
import { ScratchFile } from '../engines/flow/scratch-file.ts'
import { overBudget, type HeldTransfer, type TransferKind } from '../engines/flow/transfer-budgets.ts'

const chunkBytes = 64 * 1024

/** Sentences for each exhausted limit. */
type FullTexts = Record<FullLimit<TransferKind>, string>

/** Spool of an upload, kept until the file is sent. */
export class SpooledFile {
  readonly #file: ScratchFile
  readonly #held: HeldTransfer
  readonly #full: FullTexts
  size = 0

  private constructor(file: ScratchFile, held: HeldTransfer, full: FullTexts) {
    this.#file = file
    this.#held = held
    this.#full = full
  }

  /** Opens a file in a folder; `full` says what to do when the account has no space left. */
  static async create(directory: string, held: HeldTransfer, full: FullTexts): Promise<SpooledFile> {
    return new SpooledFile(await ScratchFile.create(directory), held, full)
  }

  /** Reserves memory for the announced bytes, then spools the bytes. Throws 429 or 503 when a budget is exhausted. */
  async fill(bytes: AsyncIterable<Uint8Array>, announcedBytes = 0): Promise<void> {
    try {
      this.#reserve(announcedBytes)
      for await (const chunk of bytes) {
        this.#reserve(this.size + chunk.length)
        await this.#file.handle.writev([chunk])
        this.size += chunk.length
      }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new AppError(507, this.#full.all) : error
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

  async close(): Promise<void> {
    await this.#file.close()
    this.#held.close()
  }

  #reserve(size: number): void {
    const limit = this.#held.take(Math.max(0, size - this.#held.bytes))
    if (limit) {
      throw overBudget(limit, this.#full)
    }
  }
}
