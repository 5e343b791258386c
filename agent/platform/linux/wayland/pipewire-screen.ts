import { deferred } from '../../../../shared/deferred.ts'
import { UserError } from '../../../base/errors.ts'
import type { Capture, Display, Picture, Screen, Rectangle } from '../../desktop/desktop.ts'
import { PipeWireStream } from './gstreamer.ts'

const bytesPerPixel = 4
/** Number of unchanged rows within one area: another area costs more. */
const maxGap = 32

/** Returns the bands of rows that differ between two pictures of the same size. */
function changedRows(before: Picture, now: Picture): Rectangle[] {
  const bands: Rectangle[] = []
  const { width, height } = now
  for (let y = 0; y < height; y++) {
    const [start, other] = [y * now.stride, y * before.stride]
    const end = width * bytesPerPixel
    if (now.pixels.compare(before.pixels, other, other + end, start, start + end) === 0) {
      continue
    }
    const last = bands.at(-1)
    if (last && y - last.y - last.height <= maxGap) {
      last.height = y - last.y + 1
    } else {
      bands.push({ x: 0, y, width, height: 1 })
    }
  }
  return bands
}

/** Polling interval for new frames: a callback of GStreamer's threads would block them until this thread is idle. */
const lookEveryMs = 8
const firstFrameMs = 10_000

/** Newest frame of a stream of PipeWire, which sends one whenever something was drawn. */
export class PipeWireScreen implements Screen {
  onChange: () => void = () => undefined
  onClose: () => void = () => undefined
  readonly #display: Display
  readonly #node: () => number
  readonly #remote: (() => Promise<number>) | undefined
  #stream: { node: number; opened: PipeWireStream } | undefined
  #last: Picture | undefined
  /** Pixels of the frame before the last one, for reuse. */
  #spare: Picture | undefined
  #count = 0
  /** Reason why the stream has failed. */
  #problem: string | undefined
  #looking: NodeJS.Timeout | undefined
  #isClosed = false
  readonly #closed = deferred<never>()

  /**
   * `node` returns the node of PipeWire to read, which may change between captures; `remote` opens a connection of a
   * portal to PipeWire.
   */
  constructor(display: Display, node: () => number, remote?: () => Promise<number>) {
    this.#remote = remote
    this.#closed.promise.catch(() => undefined)
    this.#display = display
    this.#node = node
  }

  async capture(isWhole: boolean): Promise<Capture> {
    clearTimeout(this.#looking)
    if (this.#problem !== undefined) {
      throw new UserError(`The display ${this.#display.name} sends no more pictures: ${this.#problem}`)
    }
    const stream = await this.#openWithFrame()
    // Counted before reading, so that a frame that arrives meanwhile is read again.
    this.#count = stream.count
    const now = stream.newest(this.#spare)
    const last = this.#last
    if (this.#isClosed || !now) {
      throw new UserError(`The display ${this.#display.name} is closed.`)
    }
    this.#spare = last
    this.#last = now
    const { width, height } = now
    const isComparable = last?.width === width && last.height === height
    const areas = isWhole || !last || !isComparable ? [{ x: 0, y: 0, width, height }] : changedRows(last, now)
    this.#look(stream)
    return { picture: now, areas }
  }

  close(): void {
    this.#isClosed = true
    this.#closed.reject(new UserError(`The display ${this.#display.name} is closed.`))
    clearTimeout(this.#looking)
    void this.#stream?.opened.close()
    this.onClose()
  }

  async #open() {
    const node = this.#node()
    if (this.#stream?.node !== node && !this.#isClosed) {
      // GStreamer takes 30 s for a node that is gone; a screen that closes meanwhile must not wait for that.
      await Promise.race([this.#start(node), this.#closed.promise])
    }
    if (this.#isClosed || !this.#stream) {
      void this.#stream?.opened.close()
      throw new UserError('This screen is closed.')
    }
    return this.#stream.opened
  }

  async #start(node: number) {
    const before = this.#stream?.opened
    const opened = await PipeWireStream.open(node, await this.#remote?.())
    if (this.#isClosed) {
      void opened.close()
      return
    }
    this.#stream = { node, opened }
    void before?.close()
  }

  /** Opens the stream again until a frame has arrived: a new node of PipeWire may fail while it is being set up. */
  async #openWithFrame() {
    const deadline = performance.now() + firstFrameMs
    let stream = await this.#open()
    while (stream.count === 0) {
      const problem = stream.problem()
      if (performance.now() > deadline) {
        throw new UserError(`The display ${this.#display.name} sends no picture${problem ? `: ${problem}` : '.'}`)
      }
      if (problem !== undefined) {
        this.#stream = undefined
        await stream.close()
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      stream = await this.#open()
    }
    return stream
  }

  #look(stream: PipeWireStream) {
    this.#looking = setTimeout(() => {
      this.#problem = stream.problem()
      if (stream.count === this.#count && this.#problem === undefined) {
        this.#look(stream)
      } else {
        this.onChange()
      }
    }, lookEveryMs).unref()
  }
}
