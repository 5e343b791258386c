import type { Stats } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import type { FollowFile, FollowedDto } from '../../../shared/dtos/file-messages.ts'
import type { Clock } from '../../base/clock.ts'
import { systemPath } from './names.ts'
import { findTarget, isSame, readFlags } from './reading.ts'
import { Refusal } from './reasons.ts'

const pollMs = 500
/** Interval of items without text: only with an item does an agent learn that the server stopped reading. */
const beatMs = 5_000
const mostAtOnce = 256 * 1024
/** Maximum bytes that wait to be read; of a file that grows faster than they are sent, a part is left out. */
const mostBehind = 4 * 1024 * 1024
/** Maximum bytes from which the last lines are taken. */
const mostAtStart = 1024 * 1024
/** Text of one item. */
const pieceLength = 64 * 1024

/** Open file, read up to `position`. */
class Followed {
  readonly handle: FileHandle
  readonly stats: Stats
  readonly #decoder: InstanceType<typeof TextDecoder>
  position = 0

  private constructor(handle: FileHandle, stats: Stats, isUtf16: boolean) {
    this.handle = handle
    this.stats = stats
    // Windows PowerShell writes UTF-16.
    this.#decoder = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8')
  }

  static async open(path: string): Promise<Followed> {
    const handle = await open(systemPath(path), readFlags)
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) {
        throw new Refusal('Only files can be followed.')
      }
      const mark = Buffer.alloc(2)
      await handle.read(mark, 0, 2, 0)
      return new Followed(handle, stats, mark[0] === 0xff && mark[1] === 0xfe)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Reads the text from the position on, at most `most` bytes. */
  async read(most: number): Promise<string> {
    const block = Buffer.allocUnsafe(most)
    const { bytesRead } = await this.handle.read(block, 0, most, this.position)
    this.position += bytesRead
    return this.#decoder.decode(block.subarray(0, bytesRead), { stream: true })
  }

  /** Moves to the last bytes, and returns whether others are left out. An even position keeps UTF-16 together. */
  async moveToEnd(most: number): Promise<boolean> {
    const { size } = await this.handle.stat()
    const target = size - most + ((size - most) % 2)
    if (target <= this.position) {
      return false
    }
    this.position = target
    return true
  }
}

/** Last lines of a text; the part of a line at its beginning is left out if the text was cut. */
function lastLines(text: string, lines: number, isCut: boolean): string {
  const all = text.split('\n')
  const hasEnd = all.at(-1) === ''
  return all.slice(Math.max(isCut ? 1 : 0, all.length - lines - (hasEnd ? 1 : 0))).join('\n')
}

const itemOf = (item: FollowedDto) => Buffer.from(`${JSON.stringify(item)}\n`)

function* itemsOf(text: string): Iterable<Uint8Array> {
  for (let at = 0; at < text.length; at += pieceLength) {
    yield itemOf({ text: text.slice(at, at + pieceLength) })
  }
}

/**
 * Follows a file: its last lines, then what is appended, as lines of JSON. Goes on in the file that takes its name, as
 * logs are rotated. Throws `Refusal`, or as the file system does, before the first item. `close` closes the file also if
 * no item was read.
 */
export async function followFile(
  { path: target, lines }: Pick<FollowFile, 'path' | 'lines'>,
  clock: Clock,
): Promise<{ items: AsyncIterable<Uint8Array>; close: () => Promise<void> }> {
  const { path } = await findTarget(target)
  const file = await Followed.open(path)
  return { items: followed(path, file, lines, clock), close: () => file.handle.close() }
}

async function* followed(path: string, first: Followed, lines: number, clock: Clock): AsyncIterable<Uint8Array> {
  let file = first
  try {
    const isCut = await file.moveToEnd(mostAtStart)
    yield itemOf({})
    yield* itemsOf(lastLines(await file.read(mostAtStart), lines, isCut))
    for (let beatAt = clock.monotonic() + beatMs; ;) {
      const { size } = await file.handle.stat()
      if (size < file.position) {
        file.position = 0
        yield itemOf({ note: 'truncated' })
      }
      if (size - file.position > mostBehind && (await file.moveToEnd(mostAtOnce))) {
        yield itemOf({ note: 'skipped' })
      }
      const text = size > file.position ? await file.read(mostAtOnce) : ''
      yield* itemsOf(text)
      if (text !== '') {
        beatAt = clock.monotonic() + beatMs
        continue
      }
      const next = await successor(path, file)
      if (next) {
        await file.handle.close()
        file = next
        yield itemOf({ note: 'rotated' })
        continue
      }
      if (clock.monotonic() >= beatAt) {
        beatAt = clock.monotonic() + beatMs
        yield itemOf({})
      }
      await new Promise<void>((resolve) => void clock.after(pollMs, resolve))
    }
  } finally {
    await file.handle.close()
  }
}

/** Opens the file that has taken the name; undefined while it is the same one, or there is none. */
async function successor(path: string, { stats }: Followed): Promise<Followed | undefined> {
  const found = await stat(systemPath(path)).catch(() => undefined)
  return found?.isFile() && !isSame(found, stats) ? await Followed.open(path).catch(() => undefined) : undefined
}
