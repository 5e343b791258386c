import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { dayMs, hourMs } from '../../../shared/durations.ts'
import type { Clock } from '../../base/clock.ts'
import { systemPath } from './names.ts'
import { Refusal } from './reasons.ts'
import { inDirectory, namesIn, removeTree } from './trees.ts'

/** Location and identity of an unfinished file. */
const PartFile = z.object({
  directory: z.string(),
  name: z.string(),
  /** Missing until the file is created; a file without a recorded identity must be empty. */
  file: z.object({ dev: z.number(), ino: z.number() }).optional(),
  /** Whether an interrupted upload may resume. */
  isKept: z.boolean(),
  /** Whether it may be a directory: the unfinished copy of one. */
  isTree: z.boolean().optional(),
  /** Whether `name` is the unguessable beginning of several names. */
  isPrefix: z.boolean().optional(),
})
export type PartFile = z.infer<typeof PartFile>

const keptMs = dayMs
const lookMs = hourMs
/** Maximum number of interrupted uploads kept for resumption. */
const mostKept = 100

/** Suffix of the names of unfinished files. */
export const partEnding = '.farhand-part'

/** Suffix of a note that is being written. */
const unfinished = '.tmp'
const ofNote = /^[0-9a-f]{64}\.json$/

/** Id of a note: a hash of the parts, safe as a file name. */
export const noteId = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/**
 * Notes of the part files that this agent has created, in a private folder. After a crash the agent finds its part
 * files through the notes, to resume or to remove them. Only files with the recorded identity are touched.
 */
export class PartFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Records a part file: first before its creation, then with its identity. Throws `Refusal` when too many part files
   * are kept.
   */
  async note(id: string, part: PartFile): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    if (
      part.isKept &&
      !part.file &&
      (await this.#all()).filter(({ part: other }) => other?.isKept).length >= mostKept
    ) {
      throw new Refusal(`The device already has ${mostKept} unfinished uploads. Cancel one, or wait a day.`)
    }
    const written = `${this.#noteOf(id)}${unfinished}`
    await writeFile(written, JSON.stringify(part), { mode: 0o600 })
    await rename(written, this.#noteOf(id))
  }

  async find(id: string): Promise<PartFile | undefined> {
    try {
      return PartFile.parse(JSON.parse(await readFile(this.#noteOf(id), 'utf8')))
    } catch {
      return undefined
    }
  }

  async forget(id: string): Promise<void> {
    await rm(this.#noteOf(id), { force: true })
  }

  async remove(id: string): Promise<void> {
    const part = await this.find(id)
    if (part) {
      await removePart(part).catch(() => {})
    }
    await this.forget(id)
  }

  /** Removes part files left by a crashed agent, then periodically uploads that were not resumed for a day. */
  start(clock: Clock): () => void {
    void this.#sweep(clock.now(), true)
    return clock.every(lookMs, () => void this.#sweep(clock.now(), false))
  }

  async #sweep(now: number, isStart: boolean): Promise<void> {
    if (isStart) {
      const names = await readdir(this.#folder).catch(() => [])
      await Promise.all(names.filter((name) => name.endsWith(unfinished)).map((name) => rm(join(this.#folder, name))))
    }
    for (const { id, part } of await this.#all()) {
      const kept = part?.isKept ? await lookAtPart(part) : undefined
      if (part?.isKept ? !kept || kept.mtimeMs + keptMs < now : isStart) {
        await this.remove(id)
      }
    }
  }

  /** Returns all note ids, with the note if readable. */
  async #all(): Promise<{ id: string; part: PartFile | undefined }[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const ids = names.filter((name) => ofNote.test(name)).map((name) => name.slice(0, -'.json'.length))
    return await Promise.all(ids.map(async (id) => ({ id, part: await this.find(id) })))
  }

  #noteOf(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}

/**
 * Returns whether a file is the recorded part file. Before its creation is recorded only the random name identifies the
 * file, so the file must be empty and our own.
 */
const isPart = (found: Stats, { file, isTree = false }: PartFile): boolean =>
  file
    ? (found.isFile() || (isTree && found.isDirectory())) && found.dev === file.dev && found.ino === file.ino
    : found.isFile() && found.size === 0 && found.uid === process.getuid?.()

/**
 * Returns whether the part file can be resumed: still owned by this agent's user, without a second hard link. Inode
 * numbers are reused, so a user who can write to the folder could provide another file with the same number.
 */
export const isOwnPart = (found: Stats, part: PartFile): boolean =>
  isPart(found, part) && found.nlink === 1 && (process.getuid === undefined || found.uid === process.getuid())

async function lookIn(directory: string, part: PartFile): Promise<Stats | undefined> {
  const found = await lstat(systemPath(join(directory, part.name))).catch(() => undefined)
  return found && isPart(found, part) ? found : undefined
}

export const lookAtPart = (part: PartFile) =>
  inDirectory(part.directory, (held) => lookIn(held, part)).catch(() => undefined)

const removePart = (part: PartFile) =>
  inDirectory(part.directory, async (held) => {
    if (part.isPrefix) {
      const names = (await namesIn(held)).filter((name) => name.startsWith(part.name) && name.endsWith(partEnding))
      await Promise.all(names.map((name) => unlink(systemPath(join(held, name)))))
    } else if (await lookIn(held, part)) {
      await removeTree(join(held, part.name))
    }
  })
