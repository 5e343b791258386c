import type { RecordingReadingDto } from '../../../shared/dtos/recording.ts'
import { entriesIn, type RecordingEntry } from '../../../shared/recording-entries.ts'
import { Store } from '../viewer-kit/store.ts'

export const speeds = [0.5, 1, 2, 4, 8] as const

/** Blocks kept in memory, and read ahead. */
const heldBlocks = 8
const aheadBlocks = 2
const tickMs = 100
/** Time without a change from which a part is quiet, and what is still played of it. */
const quietMs = 3_000
const playedQuietMs = 500
/** Shortest time of a picture in an export. */
const exportedMs = 33

/** Place where a recording is shown. */
export interface Screen {
  /** Forgets what is shown. */
  reset(): void
  /** Shows an entry; resolves when there is room for the next. */
  show(entry: RecordingEntry): Promise<void> | void
  /** Resolves when everything is drawn. */
  settled(): Promise<void>
  /** Whether blocks build on all blocks before, also on those before a block that is called a key. */
  needsAll: boolean
  /** Whether there is no picture yet: the first is shown ahead of its time. */
  isBlank: boolean
}

export interface PlaybackState {
  /** Milliseconds since the start of the recording. */
  position: number
  isPlaying: boolean
  isLoading: boolean
  speed: number
  /** Whether parts in which nothing changes are left out. */
  skipsQuiet: boolean
  problem: unknown
}

interface PlaybackOptions {
  reading: Pick<RecordingReadingDto, 'blocks' | 'durationMs' | 'startOffsetMs'>
  readBlock: (index: number, signal: AbortSignal) => Promise<Uint8Array>
  screen: Screen
}

/** Plays a recording on a screen, at any speed and from any place. */
export class Playback {
  readonly store = new Store<PlaybackState>({
    position: 0,
    isPlaying: false,
    isLoading: false,
    speed: 1,
    skipsQuiet: false,
    problem: undefined,
  })
  readonly #options: PlaybackOptions
  readonly #blocks = new Map<number, Promise<Uint8Array>>()
  /** Aborts when another place is shown. */
  #run = new AbortController()
  /** Position at a moment of the page's clock; the position stands still while `#isRunning` is false. */
  #anchor = { position: 0, at: 0 }
  #isRunning = false
  #wake = () => {}
  readonly #ticks: ReturnType<typeof setInterval>

  constructor(options: PlaybackOptions) {
    this.#options = options
    this.#ticks = setInterval(() => this.#tick(), tickMs)
    this.seek(0)
  }

  get durationMs(): number {
    return this.#options.reading.durationMs
  }

  play(): void {
    if (this.#position() >= this.durationMs) {
      this.seek(0)
    }
    this.store.update({ isPlaying: true })
    this.#moveClock(this.#position())
  }

  pause(): void {
    const position = this.#position()
    this.store.update({ isPlaying: false, position })
    this.#moveClock(position)
  }

  setSpeed(speed: number): void {
    const position = this.#position()
    this.store.update({ speed })
    this.#moveClock(position)
  }

  setSkipsQuiet(skipsQuiet: boolean): void {
    const position = this.#position()
    this.store.update({ skipsQuiet })
    this.#moveClock(position)
  }

  /** Shows another place; goes on playing from there. */
  seek(position: number): void {
    const target = Math.min(Math.max(0, position), this.durationMs)
    this.#run.abort()
    this.#run = new AbortController()
    this.#moveClock(target)
    this.store.update({ position: target, problem: undefined })
    void this.#show(target, this.#run.signal)
  }

  /** Shows everything without waiting, for an export. Calls `shown` with the time for which each picture was seen. */
  async showAll(shown: (from: number, until: number) => Promise<void>, signal: AbortSignal): Promise<void> {
    this.pause()
    this.#run.abort()
    const { screen, reading } = this.#options
    screen.reset()
    let from = 0
    for (const index of reading.blocks.keys()) {
      for (const entry of entriesIn(await this.#read(index, signal))) {
        signal.throwIfAborted()
        const at = Math.max(0, entry.at - reading.startOffsetMs)
        if (at - from >= exportedMs) {
          await screen.settled()
          await shown(from, at)
          from = at
        }
        await screen.show(entry)
      }
    }
    await screen.settled()
    await shown(from, Math.max(this.durationMs, from + exportedMs))
  }

  stop(): void {
    clearInterval(this.#ticks)
    this.#run.abort()
  }

  #position() {
    const { speed, isPlaying } = this.store.state
    const passed = isPlaying && this.#isRunning ? (performance.now() - this.#anchor.at) * speed : 0
    return Math.min(this.#anchor.position + passed, this.durationMs)
  }

  #moveClock(position: number) {
    this.#anchor = { position, at: performance.now() }
    this.#wake()
  }

  #tick() {
    if (!this.store.state.isPlaying) {
      return
    }
    const position = this.#position()
    if (position < this.durationMs) {
      this.store.update({ position })
    } else {
      this.pause()
    }
  }

  async #show(target: number, signal: AbortSignal) {
    const { screen, reading } = this.#options
    const isKey = (index: number) => !screen.needsAll && reading.blocks[index]!.isKey
    const last = reading.blocks.findLastIndex(({ from }) => from <= target)
    let index = Math.max(0, last)
    while (index > 0 && !isKey(index)) {
      index--
    }
    screen.reset()
    try {
      for (; index < reading.blocks.length; index++) {
        for (const entry of entriesIn(await this.#load(index, signal))) {
          const at = Math.max(0, entry.at - reading.startOffsetMs)
          if (at > target && !screen.isBlank) {
            await this.#until(at, signal)
          }
          if (signal.aborted) {
            return
          }
          await screen.show(entry)
        }
      }
      await this.#until(this.durationMs, signal)
    } catch (problem) {
      if (!signal.aborted) {
        this.store.update({ problem, isPlaying: false, isLoading: false })
      }
    }
  }

  /** Loads a block while the position stands still, and the next blocks in the background. */
  async #load(index: number, signal: AbortSignal): Promise<Uint8Array> {
    const position = this.#position()
    this.#isRunning = false
    this.#moveClock(position)
    const timer = setTimeout(() => this.store.update({ isLoading: true }), tickMs)
    try {
      return await this.#read(index, signal)
    } finally {
      clearTimeout(timer)
      if (!signal.aborted) {
        this.store.update({ isLoading: false })
        this.#isRunning = true
        this.#moveClock(this.#anchor.position)
        for (let ahead = 1; ahead <= aheadBlocks; ahead++) {
          void this.#read(index + ahead, signal).catch(() => {})
        }
      }
    }
  }

  #read(index: number, signal: AbortSignal): Promise<Uint8Array> {
    const held = this.#blocks.get(index)
    if (held || index >= this.#options.reading.blocks.length) {
      return held ?? Promise.resolve(new Uint8Array())
    }
    const loading = this.#options.readBlock(index, signal)
    this.#blocks.set(index, loading)
    loading.catch(() => this.#blocks.delete(index))
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= heldBlocks) {
        break
      }
      this.#blocks.delete(oldest)
    }
    return loading
  }

  /** Waits until the position is reached, whatever the person changes meanwhile. */
  async #until(at: number, signal: AbortSignal) {
    while (!signal.aborted && this.#position() < at) {
      const { isPlaying, speed, skipsQuiet } = this.store.state
      if (isPlaying && skipsQuiet && at - this.#position() > quietMs) {
        this.#moveClock(at - playedQuietMs)
      }
      await new Promise<void>((resolve) => {
        const timer = isPlaying ? setTimeout(resolve, (at - this.#position()) / speed) : undefined
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', this.#wake, { once: true })
      })
    }
  }
}
