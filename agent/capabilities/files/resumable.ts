import { KeyedMutex } from '../../../shared/mutex.ts'
import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { FileUploadHubDto, UploadProgressHubDto } from '../../../shared/dtos/file-system.ts'
import { success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { contentOf, inTarget, makePart, publish, settle, targetFor } from './incoming.ts'
import { systemPath } from './names.ts'
import { isOwnPart, lookAtPart, noteId, type PartFile, type PartFiles } from './parts.ts'
import { Refusal } from './reasons.ts'

export type Progress = z.input<typeof UploadProgressHubDto>
type Request = z.output<typeof FileUploadHubDto>
type Piece = NonNullable<Request['resume']>

/** Key and target of an upload; together they identify the upload. */
export interface UploadName {
  uploadKey: string
  targetDirectoryPath: string
  fileName: string
  fileSize: number
}

const idOf = ({ uploadKey, targetDirectoryPath, fileName, fileSize }: UploadName) =>
  noteId(uploadKey, targetDirectoryPath, fileName, fileSize)

const openFlags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)
const blockBytes = 1024 * 1024
/** Completed uploads, kept in case the response was lost. */
const mostDone = 100

/** Hashes the first `length` bytes of a file. */
async function hashOf(handle: FileHandle, length: number): Promise<Hash> {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(Math.min(blockBytes, length))
  for (let position = 0; position < length;) {
    const { bytesRead } = await handle.read(block, 0, Math.min(block.length, length - position), position)
    if (bytesRead === 0) {
      throw new Refusal('The partial file on the device was truncated. Upload the file again.')
    }
    hash.update(block.subarray(0, bytesRead))
    position += bytesRead
  }
  return hash
}

async function writeAt(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    at += (await handle.write(chunk, at, chunk.length - at, position + at)).bytesWritten
  }
}

/** Open part file, with the number of bytes written. */
interface Opened {
  handle: FileHandle
  part: PartFile
  bytes: number
  hash: Hash
}

/** Piece of an upload, with its held target directory. */
interface Work {
  id: string
  held: string
  directory: string
  request: Request
  piece: Piece
  items: () => AsyncIterable<Uint8Array>
}

/**
 * Uploads that resume after an interruption, also after a crash of this agent. The only state on disk is the part file
 * with its note.
 */
export class ResumableUploads {
  readonly #parts: PartFiles
  /** Running hashes of the written bytes; without an entry the file is hashed again. */
  readonly #hashes = new Map<string, { bytes: number; hash: Hash }>()
  readonly #done = new Map<string, Progress>()
  /** Mutex per upload id, for writing and removal. */
  readonly #uploads = new KeyedMutex()

  constructor(parts: PartFiles) {
    this.#parts = parts
  }

  /** Returns the number of bytes already received. */
  async progress(name: UploadName): Promise<Progress> {
    const id = idOf(name)
    const part = await this.#parts.find(id)
    const found = part && (await lookAtPart(part))
    return found && isOwnPart(found, part)
      ? { receivedBytes: found.size }
      : (this.#done.get(id) ?? { receivedBytes: 0 })
  }

  /** Removes an upload's part file and state. */
  async cancel(name: UploadName): Promise<void> {
    const id = idOf(name)
    await this.#uploads.run(id, () => this.#remove(id))
  }

  /** Writes the next bytes of an upload, and publishes the file after the last piece. */
  async write(request: Request, piece: Piece, items: () => AsyncIterable<Uint8Array>) {
    const id = idOf({ ...request, uploadKey: piece.uploadKey })
    return await this.#uploads.run(id, () =>
      inTarget(request, (held, directory) => this.#writeIn({ id, held, directory, request, piece, items })),
    )
  }

  async #writeIn(work: Work): Promise<HubResult & { upload: Progress }> {
    const { id, held, request, piece, items } = work
    const done = this.#done.get(id)
    if (done && piece.offset === request.fileSize) {
      return { ...success, upload: done }
    }
    const target = await targetFor(held, request, piece.offset)
    const opened = await this.#open(work)
    const partPath = join(held, opened.part.name)
    try {
      await this.#receive(opened, { id, piece, fileSize: request.fileSize }, items())
      if (opened.bytes < request.fileSize) {
        await opened.handle.sync()
        return { ...success, upload: { receivedBytes: opened.bytes } }
      }
      const sha256 = opened.hash.copy().digest('hex')
      if (piece.sha256 !== undefined && piece.sha256 !== sha256) {
        await this.#remove(id)
        throw new Refusal(
          'The checksum of the received file is wrong: it was damaged in transit, or changed during the upload. Upload the file again.',
        )
      }
      await settle(opened.handle, partPath, target.old)
      await opened.handle.close()
      await publish(partPath, target.path, request.overwrite)
      const progress = { receivedBytes: opened.bytes, sha256 }
      await this.#finished(id, progress)
      return { ...success, upload: progress }
    } finally {
      // Closing an already closed handle does nothing.
      await opened.handle.close()
    }
  }

  /** Opens the part file, truncated to the piece's offset. Throws `Refusal` when the part file is shorter. */
  async #open({ id, held, directory, piece: { offset } }: Work): Promise<Opened> {
    const part = await this.#parts.find(id)
    const handle = part && (await this.#reopen(held, part))
    if (part && handle) {
      let isUsed = false
      try {
        const { size } = await handle.stat()
        const known = this.#hashes.get(id)
        if (offset > 0 && offset <= size) {
          await handle.truncate(offset)
          const hash = known?.bytes === offset ? known.hash : await hashOf(handle, offset)
          isUsed = true
          return { handle, part, bytes: offset, hash }
        }
      } finally {
        if (!isUsed) {
          await handle.close()
        }
      }
    }
    if (offset > 0) {
      throw new Refusal('The offset is beyond the end of the partial file. Ask for its length and resume there.')
    }
    await this.#remove(id)
    const made = await makePart(this.#parts, { id, held, directory, isKept: true })
    return { ...made, bytes: 0, hash: createHash('sha256') }
  }

  /** Verifies the identity of the opened file: the folder's owner could have put another file under this name. */
  async #reopen(held: string, part: PartFile): Promise<FileHandle | undefined> {
    const handle = await open(systemPath(join(held, part.name)), openFlags).catch(() => undefined)
    const found = await handle?.stat().catch(() => undefined)
    if (found && isOwnPart(found, part)) {
      return handle
    }
    await handle?.close()
    return undefined
  }

  async #receive(
    opened: Opened,
    { id, piece, fileSize }: { id: string; piece: Piece; fileSize: number },
    items: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { handle, hash } = opened
    this.#hashes.delete(id)
    try {
      for await (const chunk of contentOf(items, true)) {
        if (opened.bytes + chunk.length > fileSize) {
          throw new Refusal('The upload is longer than announced.')
        }
        await writeAt(handle, chunk, opened.bytes)
        hash.update(chunk)
        opened.bytes += chunk.length
      }
      this.#hashes.set(id, { bytes: opened.bytes, hash })
    } catch (error) {
      const isWrong = error instanceof Refusal
      if (!isWrong) {
        this.#hashes.set(id, { bytes: opened.bytes, hash })
      }
      // Discard a corrupt piece completely; after an interruption keep the completely written bytes.
      await handle.truncate(isWrong ? piece.offset : opened.bytes)
      await handle.sync()
      throw error
    }
  }

  async #finished(id: string, progress: Progress): Promise<void> {
    this.#hashes.delete(id)
    await this.#parts.forget(id)
    this.#done.set(id, progress)
    const [oldest] = this.#done.keys()
    if (this.#done.size > mostDone && oldest !== undefined) {
      this.#done.delete(oldest)
    }
  }

  async #remove(id: string): Promise<void> {
    this.#hashes.delete(id)
    this.#done.delete(id)
    await this.#parts.remove(id)
  }
}
