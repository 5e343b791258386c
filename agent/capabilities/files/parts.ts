import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { systemPath } from './names.ts'
import { Refusal } from './reasons.ts'
import { inDirectory } from './trees.ts'

/** A file that is not whole yet: where it is, and which one it is. */
const PartFile = z.object({
  directory: z.string(),
  name: z.string(),
  /** Missing until it is made: then it is empty. */
  file: z.object({ dev: z.number(), ino: z.number() }).optional(),
  /** Its upload may go on after it broke off. */
  isKept: z.boolean(),
})
export type PartFile = z.infer<typeof PartFile>

const keptMs = 24 * 60 * 60_000
const lookMs = 60 * 60_000
/** Uploads that wait to be gone on with. */
const mostKept = 100

/** A note while it is written. */
const unfinished = '.tmp'
const ofNote = /^[0-9a-f]{64}\.json$/

/** The id of a note; whatever the parts are, it is safe as a name. */
export const noteId = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/**
 * Notes of the part files that this agent has made, in a folder of its own, so that what a killed agent leaves is found
 * again: to go on with it, or to remove it. Only the very file that was made is ever touched.
 */
export class PartFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Notes a part file: before it is made, and then which one it is. Throws `Refusal` when too many are kept already. */
  async note(id: string, part: PartFile): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    if (
      part.isKept &&
      !part.file &&
      (await this.#all()).filter(({ part: other }) => other?.isKept).length >= mostKept
    ) {
      throw new Refusal(`The device keeps ${mostKept} unfinished uploads already. Cancel one, or wait a day.`)
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

  /** Removes the part file of a note, and the note. */
  async remove(id: string): Promise<void> {
    const part = await this.find(id)
    if (part) {
      await removePart(part).catch(() => {})
    }
    await this.forget(id)
  }

  /** Removes what an agent that was killed has left, and from then on what nobody comes back to for a day. */
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

  /** Ids with their notes, as far as they are readable. */
  async #all(): Promise<{ id: string; part: PartFile | undefined }[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const ids = names.filter((name) => ofNote.test(name)).map((name) => name.slice(0, -'.json'.length))
    return await Promise.all(ids.map(async (id) => ({ id, part: await this.find(id) })))
  }

  #noteOf(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}

/** Whether a file is the one that was made; of one that was only about to be made nothing but its random name is known. */
const isPart = (found: Stats, { file }: PartFile): boolean =>
  found.isFile() &&
  (file ? found.dev === file.dev && found.ino === file.ino : found.size === 0 && found.uid === process.getuid?.())

/**
 * Whether it can be gone on with, too: still nobody's but this agent's, under no second name. Numbers of files are used
 * again, so whoever may write in its folder could have put another file with the same number there.
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
    if (await lookIn(held, part)) {
      await unlink(systemPath(join(held, part.name)))
    }
  })
