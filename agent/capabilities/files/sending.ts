import { createHash, type Hash } from 'node:crypto'
import { failure, failureOf, success, successOf, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts'
import type { Clock } from '../../base/clock.ts'
import type { AgentHubMethods } from '../../link/connection.ts'
import type { Log } from '../../base/log.ts'
import type { Entry } from './entries.ts'
import { absolutePath } from './names.ts'
import { reasonOf, Refusal } from './reasons.ts'
import type { Source } from './reading.ts'

interface SendingDependencies {
  clock: Clock
  log: Log
  server: () => Pick<AgentHubMethods, 'SendFileContentStream'>
}

const pieceBytes = 30 * 1024
const longestTransferMs = 30 * 60_000
const longestListingMs = 30_000
/** Each listing holds the names of a directory in memory, up to 150 MB, and a thread while a disk does not respond. */
const listingLimits = {
  running: 3,
  waiting: 30,
  waitMs: 20_000,
  // Time to read the names, plus time to send the items.
  runMs: 2 * longestListingMs,
  busy: 'The device is still listing other directories. Try again in a minute.',
  late: 'The directory did not answer in time. Its disk may be disconnected.',
}
/** Maximum number of concurrent archives; each holds its entries in memory, up to 100 MB. */
const mostArchives = 4

/**
 * Splits bytes into pieces of 30 KiB. Each piece is a copy, because the reader reuses its buffer. With a hash, the last
 * piece is the digest.
 */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, hash?: Hash): AsyncIterable<Uint8Array> {
  let rest = Buffer.alloc(0)
  for await (const chunk of bytes) {
    hash?.update(chunk)
    const block =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let at = 0
    for (; at + pieceBytes <= block.length; at += pieceBytes) {
      yield Buffer.from(block.subarray(at, at + pieceBytes))
    }
    rest = Buffer.from(block.subarray(at))
  }
  if (rest.length > 0) {
    yield rest
  }
  if (hash) {
    yield hash.digest()
  }
}

/** Yields the items until the time limit, then throws. */
async function* limited<T>(clock: Clock, ms: number, items: AsyncIterable<T>): AsyncIterable<T> {
  const until = clock.now() + ms
  for await (const item of items) {
    if (clock.now() > until) {
      throw new Error('The directory took too long to list.')
    }
    yield item
  }
}

/** Limits the duration of a transfer in either direction. */
export const limitedTransfer = <T>(clock: Clock, pieces: AsyncIterable<T>): AsyncIterable<T> =>
  limited(clock, longestTransferMs, pieces)

interface OfferRequest {
  streamId: string
  isDigestWanted?: boolean | undefined
}

type ReadDirectory = (path: string) => Promise<AsyncIterable<Entry[]>>
type SendEntries = (exists: boolean, entries: AsyncIterable<Entry[]>) => Promise<void>

const missing = ['ENOENT', 'ENOTDIR']

async function* nothing(): AsyncIterable<Entry[]> {}

/** Streams requested content to the server: file bytes and directory listings. */
export class FileSending {
  readonly #deps: SendingDependencies
  readonly #listings: ConcurrencyLimit
  #archives = 0

  constructor(deps: SendingDependencies) {
    this.#deps = deps
    this.#listings = new ConcurrencyLimit({ clock: deps.clock, ...listingLimits })
  }

  /** Streams in parallel to the answer; later failures are reported through the stream. */
  async send(streamId: string, { bytes }: Source, hash?: Hash): Promise<void> {
    const { server, clock, log } = this.#deps
    try {
      await server().SendFileContentStream(streamId, limitedTransfer(clock, inPieces(bytes, hash)))
    } catch (error) {
      log.warn({ streamId, error }, 'A transfer to the server failed')
    }
  }

  /** Works like `offer`, for archives whose entries are held in memory until sent. */
  async offerArchive(request: OfferRequest, target: string, makeSource: () => Promise<Source>) {
    if (this.#archives >= mostArchives) {
      return failureOf(`The device is already making ${mostArchives} archives. Try again when one is done.`)
    }
    this.#archives++
    return await this.offer(request, target, makeSource, () => this.#archives--)
  }

  /** Replies with the metadata and starts to send; calls `over` at the end. */
  async offer(
    { streamId, isDigestWanted = false }: OfferRequest,
    target: string,
    makeSource: () => Promise<Source>,
    over: () => void = () => {},
  ) {
    try {
      const source = await makeSource()
      const { size: fileSize, name: fileDisplayName, etag, offset, sha256 } = source
      void this.send(streamId, source, isDigestWanted ? createHash('sha256') : undefined).finally(over)
      return successOf({ fileSize, fileDisplayName, etag, offset, sha256, hasDigest: isDigestWanted })
    } catch (error) {
      over()
      return failureOf(reasonOf(error, target))
    }
  }

  /**
   * Reads a directory and sends its entries, limited by `listingLimits`; `send` receives whether the directory exists.
   */
  async list(path: string, read: ReadDirectory, send: SendEntries): Promise<HubResult> {
    try {
      return await this.#listings.run(() => this.#listNow(path, read, send))
    } catch (error) {
      return failure(reasonOf(error, path))
    }
  }

  async #listNow(path: string, read: ReadDirectory, send: SendEntries): Promise<HubResult> {
    try {
      const directory = absolutePath(path)
      if (directory === undefined) {
        throw new Refusal('The path must be absolute.')
      }
      const entries = await read(directory).catch((error: NodeJS.ErrnoException) => {
        if (missing.includes(error.code ?? '')) {
          return undefined
        }
        throw error
      })
      await send(entries !== undefined, limited(this.#deps.clock, longestListingMs, entries ?? nothing()))
      return success
    } catch (error) {
      return failure(reasonOf(error, path))
    }
  }
}
