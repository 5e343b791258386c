import { pictureSize } from '../viewer-kit/picture-size.ts'
import { maxPixels } from '../viewer-kit/drawable.ts'
import type { MovedAreaDto, ScreenFrame, ScreenRegionDto } from '../../../shared/remote-control/messages.ts'

/** Pictures of the whole screen that are decoded at a time: one is drawn while the next one comes. */
const decodedAhead = 2
/**
 * Whole pictures that the regions of one frame may hold, and that it may draw or move: a few bytes can stand for more pixels
 * than a tab has memory or time for.
 */
const mostPictures = 4
/** Encoded bytes of the frames that wait: acks leave before the drawing, so they hold back no device. */
const mostWaitingBytes = 128 * 1024 * 1024
/** Each is compared with each of the frames that wait. */
const mostRegions = 1000

/** Two seconds of frames that move something, none of which may be left out: the picture as it is now is worth more. */
const maxWaiting = 120

interface Frame extends ScreenFrame {
  /** All regions, decoded. */
  pixels: number
  /** Resolves when it is decoded. */
  decoding?: Promise<void>
  bitmaps?: readonly (ImageBitmap | undefined)[]
}

const covers = (over: ScreenRegionDto, under: ScreenRegionDto) =>
  over.x <= under.x &&
  over.y <= under.y &&
  over.x + over.width >= under.x + under.width &&
  over.y + over.height >= under.y + under.height

/** Pixels of a picture once it is decoded, from its own header; NaN for a format whose header is not read here (T35). */
const pixelsOf = ({ encodedImage }: ScreenRegionDto) => {
  const { width, height } = pictureSize(encodedImage) ?? { width: Number.NaN, height: 0 }
  return width * height
}

const bytesOf = ({ regions }: ScreenFrame) => regions.reduce((sum, { encodedImage }) => sum + encodedImage.length, 0)

/** Cuts the worker's memory of the message, so that the bytes of one region do not keep all others. */
const blobOf = ({ encodedImage }: ScreenRegionDto) => {
  const type = pictureSize(encodedImage)?.type ?? ''
  return new Blob([encodedImage as Uint8Array<ArrayBuffer>], { type })
}

function contextOf(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  const context = canvas.getContext('2d', { alpha: false })
  if (!context) {
    throw new Error('This browser cannot draw on a canvas outside of the page.')
  }
  return context
}

/**
 * Draws frames in the order in which they came; those that are decoded by then are drawn together, as one picture.
 * What newer frames cover before it is decoded is left out, unless it is moved elsewhere before that.
 */
export class Painter {
  /** Of frames that newer ones covered, counted since the beginning. */
  droppedFrames = 0
  readonly #context: OffscreenCanvasRenderingContext2D
  #aside: OffscreenCanvasRenderingContext2D | undefined
  readonly #onDrawn: (frames: number) => void
  readonly #onBroken: () => void
  #queue: Frame[] = []
  #isRunning = false

  /** `onBroken` is called when the picture is not that of the device: an image cannot be decoded, or too many frames wait. */
  constructor(canvas: OffscreenCanvas, onDrawn: (frames: number) => void, onBroken: () => void) {
    this.#context = contextOf(canvas)
    this.#onDrawn = onDrawn
    this.#onBroken = onBroken
  }

  get waitingFrames() {
    return this.#queue.length
  }

  add(frame: ScreenFrame): void {
    const pixels = frame.regions.reduce((sum, region) => sum + pixelsOf(region), 0)
    const drawn = [...frame.regions, ...(frame.moves ?? [])].reduce((sum, area) => sum + this.#drawnBy(area), 0)
    const isDecodable = pixels <= Math.min(mostPictures * this.#pixels, maxPixels)
    // What is no number is not less than anything.
    if (!isDecodable || !(drawn <= mostPictures * this.#pixels) || frame.regions.length > mostRegions) {
      this.#onBroken()
      return
    }
    if (!frame.moves) {
      this.#leaveOut(frame.regions)
    }
    this.#queue.push({ ...frame, pixels })
    const waitingBytes = this.#queue.reduce((sum, waiting) => sum + bytesOf(waiting), 0)
    if (this.#queue.length > maxWaiting || waitingBytes > mostWaitingBytes) {
      this.forget()
      this.#onBroken()
    }
    this.#decodeAhead()
    if (!this.#isRunning) {
      void this.#run()
    }
  }

  /** What was not drawn yet belongs to a picture that is not wanted any more. */
  forget(): void {
    this.#queue.forEach(({ bitmaps }) => bitmaps?.forEach((bitmap) => bitmap?.close()))
    this.#queue = []
  }

  get #pixels() {
    return this.#context.canvas.width * this.#context.canvas.height
  }

  /** At most, wherever it lies. */
  #drawnBy({ width, height }: { width: number; height: number }) {
    const { canvas } = this.#context
    return Math.min(Math.abs(width), canvas.width) * Math.min(Math.abs(height), canvas.height)
  }

  #leaveOut(covering: readonly ScreenRegionDto[]) {
    const lastMoved = this.#queue.findLastIndex(({ moves }) => moves !== undefined)
    for (const frame of this.#queue.slice(Math.max(0, lastMoved))) {
      if (!frame.decoding) {
        frame.regions = frame.regions.filter((old) => !covering.some((region) => covers(region, old)))
        frame.pixels = frame.regions.reduce((sum, region) => sum + pixelsOf(region), 0)
      }
    }
    const isEmpty = ({ decoding, regions, moves }: Frame) => !decoding && !moves && regions.length === 0
    const kept = this.#queue.filter((frame) => !isEmpty(frame))
    this.droppedFrames += this.#queue.length - kept.length
    this.#queue = kept
  }

  #decodeAhead() {
    let room = decodedAhead * this.#pixels
    for (const frame of this.#queue) {
      room -= frame.pixels
      if (room < 0 && frame !== this.#queue[0]) {
        return
      }
      frame.decoding ??= this.#decode(frame)
    }
  }

  async #decode(frame: Frame): Promise<void> {
    const bitmaps = await Promise.all(frame.regions.map((region) => this.#bitmapOf(region)))
    if (this.#queue.includes(frame)) {
      frame.bitmaps = bitmaps
    } else {
      bitmaps.forEach((bitmap) => bitmap?.close())
    }
  }

  async #bitmapOf(region: ScreenRegionDto): Promise<ImageBitmap | undefined> {
    try {
      return await createImageBitmap(blobOf(region))
    } catch {
      this.#onBroken()
      return undefined
    }
  }

  async #run() {
    this.#isRunning = true
    for (let frame = this.#queue[0]; frame; frame = this.#queue[0]) {
      await frame.decoding
      if (frame.bitmaps && this.#queue[0] === frame) {
        this.#drawDecoded()
      }
    }
    this.#isRunning = false
  }

  #drawDecoded() {
    let drawn = 0
    for (let frame = this.#queue[0]; frame?.bitmaps; frame = this.#queue[0]) {
      drawn++
      this.#queue.shift()
      this.#draw(frame, frame.bitmaps)
    }
    this.#decodeAhead()
    this.#onDrawn(drawn)
  }

  #draw({ regions, moves = [] }: ScreenFrame, bitmaps: readonly (ImageBitmap | undefined)[]) {
    moves.forEach((moved) => this.#move(moved))
    regions.forEach(({ x, y, width, height }, index) => {
      const bitmap = bitmaps[index]
      if (bitmap) {
        this.#context.drawImage(bitmap, x, y, width, height)
        bitmap.close()
      }
    })
  }

  /** Over a second canvas: browsers take three times as long where a canvas is drawn on itself. */
  #move({ x, y, width, height, fromX, fromY }: MovedAreaDto) {
    const { canvas } = this.#context
    const aside = this.#asideOf(canvas)
    aside.drawImage(canvas, fromX, fromY, width, height, x, y, width, height)
    this.#context.drawImage(aside.canvas, x, y, width, height, x, y, width, height)
  }

  #asideOf({ width, height }: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
    if (this.#aside?.canvas.width !== width || this.#aside.canvas.height !== height) {
      this.#aside = contextOf(new OffscreenCanvas(width, height))
    }
    return this.#aside
  }
}
