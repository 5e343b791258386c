import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, realpath, rm, stat } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { isFeedUrl, type ReleaseFile } from '../../shared/release.ts'
import type { Cancel, Clock } from '../ground/clock.ts'
import { UpdateProblem } from './update-problem.ts'

/** A place that releases come from. Nothing from it is trusted before its signature or hash was verified. */
export interface Feed {
  /** Reads a small file; throws an `UpdateProblem` if it is missing or larger than `mostBytes`. */
  read(path: string, mostBytes: number): Promise<Buffer>
  /** Opens a file of known length. */
  stream(path: string, bytes: number): Promise<AsyncIterable<Uint8Array>>
}

const mostRedirects = 5
/** Time limit for a response to begin, and for each pause between its pieces. */
const silenceMs = 30_000
/** Slowest line for which the time of a whole file is enough: a feed that sends a byte now and then is never silent. */
const slowestBytesPerSecond = 8 * 1024

const tooLarge = (path: string) =>
  new UpdateProblem(`${path} of the feed is larger than the release says, so it was rejected.`)
const missing = (path: string, why: string) => new UpdateProblem(`${path} could not be read from the feed: ${why}.`)

/** Follows redirects to https alone, and from this machine to itself. */
async function get(start: URL, path: string, signal: AbortSignal): Promise<Response> {
  let url = start
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const response = await fetch(url.href, { redirect: 'manual', signal, headers: { 'accept-encoding': 'identity' } })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) {
      return response
    }
    const next = URL.parse(location, url.href)
    const isSame = next !== null && next.origin === start.origin
    if (next === null || (next.protocol !== 'https:' && !isSame)) {
      throw missing(path, 'it redirects to an address that is not https')
    }
    url = next
  }
  throw missing(path, `it redirects more than ${mostRedirects} times`)
}

/** Yields the pieces of a body within its time limits. */
async function* pieces(body: ReadableStream<Uint8Array>, limits: TimeLimits): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) {
      limits.heard()
      yield piece
    }
  } finally {
    limits.end()
  }
}

/** Aborts a request after a silence, and a file that takes longer than a slow line would. */
class TimeLimits {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #cancelWhole: Cancel
  #cancelSilence: Cancel

  constructor(clock: Clock, bytes: number) {
    this.#clock = clock
    this.#cancelSilence = this.#silence()
    const wholeMs = silenceMs + (bytes * 1000) / slowestBytesPerSecond
    this.#cancelWhole = clock.after(wholeMs, () => this.#controller.abort(new Error('the feed sends too slowly')))
  }

  #silence(): Cancel {
    return this.#clock.after(silenceMs, () => this.#controller.abort(new Error('the feed stopped answering')))
  }

  get signal() {
    return this.#controller.signal
  }

  heard() {
    this.#cancelSilence()
    this.#cancelSilence = this.#silence()
  }

  end() {
    this.#cancelSilence()
    this.#cancelWhole()
  }
}

function webFeed(base: URL, clock: Clock): Feed {
  const folder = new URL(base.href.endsWith('/') ? base.href : `${base.href}/`)
  const stream = async (path: string, bytes: number) => {
    const limits = new TimeLimits(clock, bytes)
    const response = await get(new URL(path, folder), path, limits.signal).catch((error: unknown) => {
      limits.end()
      throw error instanceof UpdateProblem ? error : missing(path, causeOf(error))
    })
    if (!response.ok || !response.body) {
      limits.end()
      throw missing(path, `it answered ${response.status}`)
    }
    return pieces(response.body, limits)
  }
  const read = async (path: string, mostBytes: number) => {
    try {
      return await collect(path, await stream(path, mostBytes), mostBytes)
    } catch (error) {
      throw error instanceof UpdateProblem ? error : missing(path, causeOf(error))
    }
  }
  return { stream, read }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

async function collect(path: string, stream: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      throw tooLarge(path)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function folderFeed(folder: string): Feed {
  const fileOf = async (path: string) => {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, path))]).catch(() => {
      throw missing(path, `${join(folder, path)} is not there`)
    })
    if (!file.startsWith(root + sep) || !(await stat(file)).isFile()) {
      throw missing(path, 'it is no file of this folder')
    }
    return file
  }
  const stream = async (path: string) => createReadStream(await fileOf(path)) as AsyncIterable<Uint8Array>
  return { stream, read: async (path, mostBytes) => collect(path, await stream(path), mostBytes) }
}

/** Opens a feed by its address: https, or an absolute folder. */
export function openFeed(address: string, clock: Clock): Feed {
  const url = isAbsolute(address) ? null : URL.parse(address)
  return isFeedUrl(url) ? webFeed(url, clock) : folderFeed(address)
}

export interface DownloadWatcher {
  signal: AbortSignal
  onProgress(bytes: number): void
}

async function writeVerified(
  file: string,
  stream: AsyncIterable<Uint8Array>,
  expected: ReleaseFile,
  hash: Hash,
  watcher: DownloadWatcher,
) {
  await using target = await open(file, 'wx', 0o600)
  let bytes = 0
  for await (const chunk of stream) {
    watcher.signal.throwIfAborted()
    bytes += chunk.length
    if (bytes > expected.bytes) {
      throw tooLarge(expected.path)
    }
    hash.update(chunk)
    await target.writeFile(chunk)
    watcher.onProgress(bytes)
  }
  await target.sync()
  return bytes
}

/** Downloads a file of a release to `file`, which must not exist, and verifies length and hash; leaves nothing after a failure. */
export async function download(
  feed: Feed,
  expected: ReleaseFile,
  file: string,
  watcher: DownloadWatcher,
): Promise<void> {
  const hash = createHash('sha256')
  try {
    const bytes = await writeVerified(file, await feed.stream(expected.path, expected.bytes), expected, hash, watcher)
    if (bytes < expected.bytes) {
      throw new UpdateProblem(
        `${expected.path} ended after ${bytes} of ${expected.bytes} bytes. Try again; nothing was changed.`,
      )
    }
    if (hash.digest('hex') !== expected.sha256) {
      throw new UpdateProblem(
        `${expected.path} differs from the signed release, so it was deleted. The feed is damaged or was changed.`,
      )
    }
  } catch (error) {
    await rm(file, { force: true })
    if (error instanceof UpdateProblem || (error instanceof Error && 'code' in error && error.code !== 'ECONNRESET')) {
      throw error
    }
    watcher.signal.throwIfAborted()
    throw missing(expected.path, causeOf(error))
  }
}
