import type { RouteCall } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { ScratchFile, scratchDirectoryOf } from '../engines/flow/scratch-file.ts'
import type { HeldTransfer } from '../engines/flow/transfer-budgets.ts'
import { overBudget, transferKeysOf } from '../devices/call-budgets.ts'

const chunkBytes = 64 * 1024

const advice = 'Send targetSaveDirectory and overwrite before the file, or try again later.'
const full = {
  principal: `Your other uploads use all the space that the server has for your files. ${advice}`,
  device: `Other uploads to this device use all the space that the server has for them. ${advice}`,
  all: `The server has no space for the file. ${advice}`,
}

/** Spool of an upload, kept until the file is sent. */
export class SpooledFile {
  readonly #file: ScratchFile
  readonly #held: HeldTransfer
  size = 0

  private constructor(file: ScratchFile, held: HeldTransfer) {
    this.#file = file
    this.#held = held
  }

  static async create(call: RouteCall, device: DeviceState): Promise<SpooledFile> {
    const { config, transferDisk } = call.app
    return new SpooledFile(
      await ScratchFile.create(scratchDirectoryOf(config)),
      transferDisk.open(transferKeysOf(call, device)),
    )
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
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new AppError(507, full.all) : error
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
      throw overBudget(limit, full)
    }
  }
}
