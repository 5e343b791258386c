import { createHash, randomUUID } from 'node:crypto'
import { lstat, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changedMeanwhile, type ReceiveFiles, type SmallFileDto } from '../../../shared/dtos/file-messages.ts'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { AgentHubMethods } from '../../link/connection.ts'
import type { FolderOwner } from '../../platform/platform.ts'
import { inTarget, nameOfHeld, ownerIn, publish, settle, targetFor } from './incoming.ts'
import { isPlainName, systemPath } from './names.ts'
import { noteId, partEnding, type PartFiles } from './parts.ts'
import { createDirectory, directoryExists } from './paths.ts'
import { readFile } from './reading.ts'
import { reasonOf, Refusal } from './reasons.ts'
import { limitedTransfer } from './sending.ts'

/** Files that are written at the same time: flushing each alone would wait for the disk as often as there are files. */
const writtenTogether = 16

interface SmallFilesDependencies {
  clock: Clock
  log: Log
  parts: PartFiles
  server: () => Pick<AgentHubMethods, 'GetFileStreamFromViewer'>
}

/** Reads pieces of known lengths from a stream of chunks. */
class PieceReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Throws `Refusal` where the stream ends before. */
  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    let missing = length
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next()
        if (next.done) {
          throw new Refusal('The upload is shorter than announced.')
        }
        this.#rest = next.value
      }
      const piece = this.#rest.subarray(0, missing)
      pieces.push(piece)
      this.#rest = this.#rest.subarray(piece.length)
      missing -= piece.length
    }
    return Buffer.concat(pieces)
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Hash of a file; undefined if it is not there. */
async function hashAt(path: string): Promise<string | undefined> {
  const found = await lstat(systemPath(path)).catch(() => undefined)
  if (!found?.isFile()) {
    return undefined
  }
  const hash = createHash('sha256')
  for await (const piece of readFile(path, found, found.size)) {
    hash.update(piece)
  }
  return hash.digest('hex')
}

/** Whether a file with this content is there: the request may be a repetition. */
async function isThere(path: string, content: Uint8Array): Promise<boolean> {
  const found = await lstat(systemPath(path)).catch(() => undefined)
  if (!found?.isFile() || found.size !== content.length) {
    return false
  }
  return (await hashAt(path)) === sha256Of(content)
}

/** Uploads of several small files with one request. Each file is written whole or not at all. */
export class SmallFiles {
  readonly #deps: SmallFilesDependencies

  constructor(deps: SmallFilesDependencies) {
    this.#deps = deps
  }

  /** Writes the files, and returns why some were not written. */
  async receive({ streamId, files, ownedBy }: ReceiveFiles): Promise<(string | null)[]> {
    const { clock, log, parts, server } = this.#deps
    log.info({ files: files.length }, 'Writing small files')
    const problems: (string | null)[] = files.map(() => 'The connection was lost before this file.')
    const fileSize = files.reduce((sum, file) => sum + file.fileSize, 0)
    const request = { streamId, targetDirectoryPath: '', fileName: '', fileSize }
    const reader = new PieceReader(limitedTransfer(clock, server().GetFileStreamFromViewer(request)))
    const batch = new Batch(parts, ownedBy)
    const writing = new Set<Promise<void>>()
    try {
      for (const [index, file] of files.entries()) {
        const content = await reader.take(file.fileSize)
        if (writing.size >= writtenTogether) {
          await Promise.race(writing)
        }
        const work = batch
          .write(file, content)
          .then((problem) => void (problems[index] = problem))
          .finally(() => writing.delete(work))
        writing.add(work)
      }
    } finally {
      await Promise.all(writing)
      await batch.close()
      await reader.close()
    }
    return problems
  }
}

/** Files of one request; their part files share a note for each folder. */
class Batch {
  readonly #parts: PartFiles
  readonly #prefix = `.${randomUUID()}`
  readonly #notes = new Map<string, Promise<string>>()
  readonly #ownedBy: string | undefined
  #owner: Promise<FolderOwner | undefined> | undefined
  #count = 0

  constructor(parts: PartFiles, ownedBy: string | undefined) {
    this.#parts = parts
    this.#ownedBy = ownedBy
  }

  async write(file: SmallFileDto, content: Uint8Array): Promise<string | null> {
    if (sha256Of(content) !== file.sha256.toLowerCase()) {
      return 'The file was damaged on its way.'
    }
    const { isSuccess, reason } = file.isFolder ? await this.#makeFolder(file) : await this.#writeFile(file, content)
    return isSuccess ? null : reason
  }

  /** Looked up once for all files. */
  readonly #findOwner = () => (this.#owner ??= ownerIn(this.#ownedBy))

  async #makeFolder({ targetDirectory, fileName }: SmallFileDto): Promise<HubResult> {
    try {
      const made = await createDirectory(targetDirectory, fileName, await this.#findOwner())
      return made.reason === directoryExists ? success : made
    } catch (error) {
      return failure(reasonOf(error, targetDirectory))
    }
  }

  #writeFile(file: SmallFileDto, content: Uint8Array): Promise<HubResult> {
    const write = async (held: string, directory: string) => {
      if (!isPlainName(file.fileName) || !(await isThere(join(held, file.fileName), content))) {
        await this.#writeIn(held, directory, file, content)
      }
      return success
    }
    return inTarget({ targetDirectoryPath: file.targetDirectory }, write, this.#findOwner)
  }

  async #writeIn(held: string, directory: string, file: SmallFileDto, content: Uint8Array): Promise<void> {
    const target = await targetFor(held, file)
    await this.#note(held, directory)
    const part = join(held, `${this.#prefix}-${this.#count++}${partEnding}`)
    try {
      const handle = await open(systemPath(part), 'wx+', 0o600)
      try {
        await handle.writeFile(content)
        await settle(handle, part, target.old)
      } finally {
        await handle.close()
      }
      if (file.replaces !== undefined && (await hashAt(target.path)) !== file.replaces.toLowerCase()) {
        throw new Refusal(changedMeanwhile)
      }
      await publish(part, target.path, file.overwrite)
    } catch (error) {
      await rm(systemPath(part), { force: true }).catch(() => {})
      throw error
    }
  }

  async #note(held: string, directory: string): Promise<void> {
    const make = async () => {
      const id = noteId(randomUUID())
      const name = this.#prefix
      await this.#parts.note(id, { directory: await nameOfHeld(held, directory), name, isKept: false, isPrefix: true })
      return id
    }
    const noted = this.#notes.get(directory) ?? make()
    this.#notes.set(directory, noted)
    await noted
  }

  async close(): Promise<void> {
    for (const noted of this.#notes.values()) {
      await noted.then(
        (id) => this.#parts.forget(id),
        () => {},
      )
    }
  }
}
