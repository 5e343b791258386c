import { createHash, randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changedMeanwhile, type ReceiveFiles, type SmallFileDto } from '../../../shared/dtos/file-messages.ts'
import { success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { inParallel } from '../../../shared/in-parallel.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { AgentHubMethods } from '../../link/connection.ts'
import type { FolderOwner } from '../../platform/platform.ts'
import {
  findPlace,
  freeBytesIn,
  inTarget,
  mustFit,
  nameOfHeld,
  ownerIn,
  publish,
  replaceable,
  resultOf,
  settle,
} from './incoming.ts'
import { systemPath } from './names.ts'
import { noteId, partEnding, type PartFiles } from './parts.ts'
import { createDirectory, directoryExists } from './paths.ts'
import { readFile } from './reading.ts'
import { reasonOf, Refusal } from './reasons.ts'
import { limitedTransfer } from './sending.ts'

/** Files written at once in a folder: flushing each file alone would wait for the disk each time. */
const writtenTogether = 16
/** Folders written at once. */
const foldersTogether = 4

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

async function hashOf(path: string, stats: Stats): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of readFile(path, stats, stats.size)) {
    hash.update(piece)
  }
  return hash.digest('hex')
}

/** Hash of a file; undefined if it is not there. */
async function hashAt(path: string): Promise<string | undefined> {
  const found = await lstat(systemPath(path)).catch(() => undefined)
  return found?.isFile() ? await hashOf(path, found) : undefined
}

/** File of a request, with its content; `problem` says why it was not written. */
interface Received extends SmallFileDto {
  content: Uint8Array
  problem: string | null
}

/** Uploads of several small files with one request. Each file is written whole or not at all. */
export class SmallFiles {
  readonly #deps: SmallFilesDependencies

  constructor(deps: SmallFilesDependencies) {
    this.#deps = deps
  }

  /** Writes the files, and returns why some were not written. */
  async receive({ streamId, files, ownedBy }: ReceiveFiles): Promise<(string | null)[]> {
    const { log, parts } = this.#deps
    log.info({ files: files.length }, 'Writing small files')
    const received = await this.#read(streamId, files)
    const batch = new Batch(parts, ownedBy)
    try {
      await batch.write(received)
    } finally {
      await batch.close()
    }
    return received.map(({ problem }) => problem)
  }

  /** Reads all contents before the first is written: a request that breaks off is repeated as a whole. */
  async #read(streamId: string, files: readonly SmallFileDto[]): Promise<Received[]> {
    const { clock, server } = this.#deps
    const fileSize = files.reduce((sum, file) => sum + file.fileSize, 0)
    const request = { streamId, targetDirectoryPath: '', fileName: '', fileSize }
    const reader = new PieceReader(limitedTransfer(clock, server().GetFileStreamFromViewer(request)))
    try {
      const received: Received[] = []
      for (const file of files) {
        const content = await reader.take(file.fileSize)
        const isDamaged = sha256Of(content) !== file.sha256.toLowerCase()
        received.push({ ...file, content, problem: isDamaged ? 'The file was damaged on its way.' : null })
      }
      return received
    } finally {
      await reader.close()
    }
  }
}

/** Files of one request; their part files share a note for each folder. */
class Batch {
  readonly #parts: PartFiles
  readonly #prefix = `.${randomUUID()}`
  readonly #notes: string[] = []
  readonly #ownedBy: string | undefined
  #owner: Promise<FolderOwner | undefined> | undefined
  #count = 0

  constructor(parts: PartFiles, ownedBy: string | undefined) {
    this.#parts = parts
    this.#ownedBy = ownedBy
  }

  /** Writes the files that are not damaged, and notes the problem of each. */
  async write(files: readonly Received[]): Promise<void> {
    const folders = new Map<string, Received[]>()
    for (const file of files.filter(({ problem }) => problem === null)) {
      if (file.isFolder) {
        file.problem = await this.#makeFolder(file)
      } else {
        folders.set(file.targetDirectory, [...(folders.get(file.targetDirectory) ?? []), file])
      }
    }
    await inParallel(folders, foldersTogether, ([directory, inFolder]) => this.#writeInFolder(directory, inFolder))
  }

  async close(): Promise<void> {
    await Promise.all(this.#notes.map((id) => this.#parts.forget(id)))
  }

  /** Looked up once for all files. */
  readonly #findOwner = () => (this.#owner ??= ownerIn(this.#ownedBy))

  async #makeFolder({ targetDirectory, fileName }: SmallFileDto): Promise<string | null> {
    try {
      const { isSuccess, reason } = await createDirectory(targetDirectory, fileName, await this.#findOwner())
      return isSuccess || reason === directoryExists ? null : reason
    } catch (error) {
      return reasonOf(error, targetDirectory)
    }
  }

  /** Writes files of one folder, which is checked and held open once for all of them. */
  async #writeInFolder(targetDirectoryPath: string, files: readonly Received[]): Promise<void> {
    const writeAll = async (held: string, directory: string) => {
      await this.#note(held, directory)
      let freeBytes = await freeBytesIn(held)
      await inParallel(files, writtenTogether, async (file) => {
        const room = freeBytes
        freeBytes -= file.content.length
        file.problem = (await resultOf(() => this.#write(held, file, room))).reason
      })
      return success
    }
    const { isSuccess, reason } = await inTarget({ targetDirectoryPath }, writeAll, this.#findOwner)
    if (!isSuccess) {
      files.forEach((file) => (file.problem = reason))
    }
  }

  async #write(held: string, file: Received, freeBytes: number): Promise<HubResult> {
    const { content, overwrite, replaces } = file
    const { path, found } = await findPlace(held, file)
    // The request may be a repetition.
    const isThere =
      found?.isFile() && found.size === content.length && (await hashOf(path, found)) === sha256Of(content)
    if (isThere) {
      return success
    }
    const old = replaceable(found, overwrite)
    mustFit(content.length, freeBytes)
    const part = join(held, `${this.#prefix}-${this.#count++}${partEnding}`)
    try {
      const handle = await open(systemPath(part), 'wx+', 0o600)
      try {
        await handle.writeFile(content)
        await settle(handle, part, old)
      } finally {
        await handle.close()
      }
      if (replaces !== undefined && (await hashAt(path)) !== replaces.toLowerCase()) {
        throw new Refusal(changedMeanwhile)
      }
      await publish(part, path, overwrite)
      return success
    } catch (error) {
      await rm(systemPath(part), { force: true }).catch(() => {})
      throw error
    }
  }

  async #note(held: string, directory: string): Promise<void> {
    const id = noteId(randomUUID())
    this.#notes.push(id)
    const place = { directory: await nameOfHeld(held, directory), name: this.#prefix }
    await this.#parts.note(id, { ...place, isKept: false, isPrefix: true })
  }
}
