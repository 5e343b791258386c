import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { realpath, rename, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, parse, sep } from 'node:path'
import { cutText } from '../../../shared/cut-text.ts'
import type { FileOperationStateDto, RunFileOperation } from '../../../shared/dtos/file-messages.ts'
import { isRoot } from '../../base/environment.ts'
import type { Log } from '../../base/log.ts'
import { targetOf } from './entries.ts'
import { copyTree, measureTree, type Copying } from './copying.ts'
import { lookAt, nameOfHeld, publish } from './incoming.ts'
import { absolutePath, isPlainName, systemPath, textOfName } from './names.ts'
import { noteId, partEnding, type PartFiles } from './parts.ts'
import { isSame } from './reading.ts'
import { notThere, reasonOf, Refusal } from './reasons.ts'
import { inHeldParent, inTargetDirectory, removeTree } from './trees.ts'

/** Maximum number of operations that run at the same time; the tree of each is measured in memory. */
const mostRunning = 8
/** Share of one person in them, so that others get through. */
const mostOfOwner = 4
/** Maximum length of one problem in the answer, which names up to 1,000. */
const longestProblem = 500

const changedSource = 'It changed while it was copied. The copy is there, and nothing was deleted.'

type Item = RunFileOperation['items'][number]

interface Work {
  state: FileOperationStateDto
  abort: AbortController
}

interface Running extends Work {
  ownerKey: string | undefined
}

/** Directory that an operation writes to, held open. */
interface Target {
  held: string
  directory: string
}

async function realPathOf(path: string): Promise<string> {
  return textOfName(await realpath(systemPath(path), { encoding: 'buffer' }))
}

/** Throws `Refusal` where the name is invalid, or taken by something that the item may not replace. */
async function freeTarget({ held }: Target, { name, overwrite }: Item, source: Stats): Promise<string> {
  if (!isPlainName(name)) {
    throw new Refusal('File name contains invalid characters')
  }
  const path = join(held, name)
  const old = await lookAt(path)
  if (old?.isDirectory()) {
    throw new Refusal('A directory with the same name already exists')
  }
  if (old && (!overwrite || source.isDirectory() || isSame(old, source))) {
    throw new Refusal('File already exists.')
  }
  return path
}

/** Gives an entry its final name; a directory never replaces anything. */
async function putInPlace(from: string, path: string, { overwrite }: Item, source: Stats): Promise<void> {
  if (source.isDirectory()) {
    await rename(systemPath(from), systemPath(path))
  } else {
    await publish(from, path, overwrite)
  }
}

async function mustNotContain(source: string, target: Target): Promise<void> {
  const folder = join(await realPathOf(dirname(source)), basename(source))
  const directory = await realPathOf(target.directory)
  if (directory === folder || directory.startsWith(folder + sep)) {
    throw new Refusal('A folder cannot be copied or moved into itself.')
  }
}

/** Copies, moves and renames entries of this device. */
export class FileOperations {
  readonly #log: Log
  readonly #parts: PartFiles
  readonly #running = new Map<string, Running>()

  constructor({ log, parts }: { log: Log; parts: PartFiles }) {
    this.#log = log
    this.#parts = parts
  }

  stateOf(key: string): FileOperationStateDto | undefined {
    return this.#running.get(key)?.state
  }

  end(key: string): void {
    this.#running.get(key)?.abort.abort(new Refusal('It was canceled.'))
  }

  endAll(): void {
    ;[...this.#running.keys()].forEach((key) => this.end(key))
  }

  /** Works on all items in their order, and returns why some failed. Throws `Refusal` if none can be begun. */
  async run({
    operationKey,
    ownerKey,
    kind,
    targetDirectory,
    items,
  }: RunFileOperation): Promise<FileOperationStateDto> {
    if (this.#running.has(operationKey)) {
      throw new Refusal('This operation runs already.')
    }
    if (this.#running.size >= mostRunning) {
      throw new Refusal(
        `This device already copies or moves for ${mostRunning} requests. Try again when one has ended.`,
      )
    }
    const own = [...this.#running.values()].filter((other) => other.ownerKey === ownerKey)
    if (ownerKey !== undefined && own.length >= mostOfOwner) {
      throw new Refusal(`You already copy or move on this device ${mostOfOwner} times. Try again when one has ended.`)
    }
    const running: Running = {
      ownerKey,
      state: { isEnded: false, files: 0, totalFiles: 0, bytes: 0, totalBytes: 0 },
      abort: new AbortController(),
    }
    this.#running.set(operationKey, running)
    this.#log.info({ kind, targetDirectory, items: items.length }, 'Copying or moving files')
    try {
      const directory = absolutePath(targetDirectory)
      if (directory === undefined || !(await targetOf(directory))?.isDirectory()) {
        throw new Refusal('Directory does not exist')
      }
      return await inTargetDirectory(directory, (held) => this.#runIn({ held, directory }, kind, items, running))
    } finally {
      this.#running.delete(operationKey)
    }
  }

  async #runIn(target: Target, kind: 'copy' | 'move', items: readonly Item[], { state, abort }: Work) {
    const problems: (string | null)[] = []
    for (const item of items) {
      try {
        abort.signal.throwIfAborted()
        const path = absolutePath(item.path)
        if (path === undefined || path === parse(path).root) {
          throw new Refusal(path === undefined ? notThere : 'A whole drive is not copied or moved.')
        }
        await this.#work({ kind, path: path.replace(/[/\\]+$/, ''), item, target }, { state, abort })
        problems.push(null)
      } catch (error) {
        problems.push(cutText(reasonOf(error, item.path), longestProblem))
      }
    }
    return { ...state, isEnded: true, problems }
  }

  async #work(
    { kind, path, item, target }: { kind: 'copy' | 'move'; path: string; item: Item; target: Target },
    running: Work,
  ): Promise<void> {
    await inHeldParent(path, async (held) => {
      const source = await lookAt(held)
      if (!source) {
        throw new Refusal(notThere)
      }
      if (source.isDirectory()) {
        await mustNotContain(path, target)
      }
      if (kind === 'copy') {
        await this.#copy({ held, path }, { item, target, source, isMove: false }, running)
      } else if (!(await this.#rename(held, { item, target, source }))) {
        const copied = await this.#copy({ held, path }, { item, target, source, isMove: true }, running)
        const now = await measureTree(held, running.abort.signal)
        if (now.files !== copied.files || now.bytes !== copied.bytes) {
          throw new Refusal(changedSource)
        }
        await removeTree(held)
      }
    })
  }

  /** Returns false if the target is on another file system. */
  async #rename(held: string, { item, target, source }: { item: Item; target: Target; source: Stats }) {
    const changed = join(target.held, item.name)
    const old = await lookAt(changed)
    // On file systems that ignore case, another spelling of a name is the same entry.
    const isRespelled = old && isSame(old, source) && item.name.toLowerCase() === basename(held).toLowerCase()
    try {
      if (isRespelled && isPlainName(item.name)) {
        await rename(systemPath(held), systemPath(changed))
      } else {
        await putInPlace(held, await freeTarget(target, item, source), item, source)
      }
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EXDEV') {
        return false
      }
      throw error
    }
  }

  /** Copies under a temporary name, so that the copy appears whole or not at all. Returns what the source had before. */
  async #copy(
    place: { held: string; path: string },
    { item, target, source, isMove }: { item: Item; target: Target; source: Stats; isMove: boolean },
    { state, abort }: Work,
  ) {
    const { signal } = abort
    const path = await freeTarget(target, item, source)
    const { files, bytes } = await measureTree(place.held, signal)
    state.totalFiles += files
    state.totalBytes += bytes
    const { bavail, bsize } = await statfs(systemPath(target.held))
    if (bytes > bavail * bsize) {
      throw new Refusal('The disk of the device is full.')
    }
    const id = noteId(randomUUID())
    const name = `.${randomUUID()}${partEnding}`
    const part = join(target.held, name)
    const planned = { directory: await nameOfHeld(target.held, target.directory), name, isKept: false, isTree: true }
    const begun: { copy?: Stats } = {}
    const copying: Copying = {
      signal,
      owner: isMove ? 'source' : isRoot ? await stat(systemPath(target.held)) : undefined,
      isVerified: isMove,
      onBytes: (number) => (state.bytes += number),
      onFile: () => state.files++,
      onBegun: (copy) => {
        begun.copy = copy
        return this.#parts.note(id, { ...planned, file: { dev: copy.dev, ino: copy.ino } })
      },
    }
    await this.#parts.note(id, planned)
    try {
      await copyTree(place, part, copying)
      await putInPlace(part, path, item, source)
      return { files, bytes }
    } catch (error) {
      const left = await lookAt(part)
      if (left && begun.copy && isSame(left, begun.copy)) {
        await removeTree(part).catch(() => {})
      }
      throw error
    } finally {
      await this.#parts.forget(id)
    }
  }
}
