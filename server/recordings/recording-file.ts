import type { BlockWriter, Segment } from './block-file.ts'

/** Unwritten entries of a recording. Above it the disk is too slow for the session, which must not wait for it. */
const maxWaitingBytes = 32 * 1024 * 1024
const flushMs = 1_000
const checkMs = 2_000

const problems = {
  slow: 'The disk of the server is too slow to record this session.',
  full: 'The disk of the server is full.',
  failed: 'The disk of the server cannot be written to.',
  large: 'The recording takes all the space for recordings.',
}

interface RecordingFileOptions {
  writer: BlockWriter
  /** Space for recordings: a single one may not take more. */
  maxBytes: number
  /** Monotonic milliseconds. */
  now: () => number
  isDiskFull: () => Promise<boolean>
  /** Called once, when nothing more can be recorded. */
  onProblem: (problem: string) => void
}

/** End of a recording's file. `digest` is missing if the file could not be finished. */
export interface FileEnd {
  bytes: number
  blocks: number
  digest: string | undefined
}

/** Writes segments in the background, in order. The session that it records never waits. */
export class RecordingFile {
  readonly #options: RecordingFileOptions
  #queue: Promise<void> = Promise.resolve()
  #waitingBytes = 0
  #hasFailed = false
  #flushedAt = 0
  #isFlushed = true
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(options: RecordingFileOptions) {
    this.#options = options
  }

  write(segment: Segment): void {
    this.#waitingBytes += segment.entries.length
    if (this.#waitingBytes > maxWaitingBytes) {
      this.#fail(problems.slow)
    }
    this.#add(async () => {
      await this.#write(segment)
      this.#waitingBytes -= segment.entries.length
    })
  }

  get bytes(): number {
    return this.#options.writer.bytes
  }

  /** Flushes the last segments, also if no more follow. */
  tick(): void {
    if (!this.#isFlushed && this.#options.now() - this.#flushedAt >= flushMs) {
      this.#add(() => this.#flush())
    }
  }

  /** Resolves when everything is on the disk. */
  async close(): Promise<FileEnd> {
    const { writer } = this.#options
    let digest: string | undefined
    this.#add(async () => {
      digest = await writer.finish()
    })
    await this.#queue
    if (digest === undefined) {
      await writer.abandon()
    }
    return { bytes: writer.bytes, blocks: writer.blocks, digest }
  }

  #add(work: () => Promise<void>) {
    this.#queue = this.#queue.then(async () => {
      if (!this.#hasFailed) {
        await work().catch((error: unknown) => this.#fail(isFull(error) ? problems.full : problems.failed))
      }
    })
  }

  async #write(segment: Segment) {
    const { writer, now, isDiskFull, maxBytes } = this.#options
    if (writer.bytes + segment.entries.length > maxBytes) {
      this.#fail(problems.large)
      return
    }
    if (now() - this.#checkedAt >= checkMs) {
      this.#checkedAt = now()
      if (await isDiskFull()) {
        this.#fail(problems.full)
        return
      }
    }
    await writer.write(segment)
    this.#isFlushed = false
    if (now() - this.#flushedAt >= flushMs) {
      await this.#flush()
    }
  }

  async #flush() {
    if (!this.#isFlushed) {
      this.#isFlushed = true
      this.#flushedAt = this.#options.now()
      await this.#options.writer.flush()
    }
  }

  #fail(problem: string) {
    if (!this.#hasFailed) {
      this.#hasFailed = true
      this.#options.onProblem(problem)
    }
  }
}

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
