import type { ScreenFrame, ScreenRegionDto } from '../../../../shared/remote-control/messages.ts'

const mediaTypes = ['image/jpeg', 'image/png', 'image/webp'] as const
/** Frames that are decoded at a time: one is drawn while the next ones come. */
const decodedAhead = 3

interface Frame extends ScreenFrame {
  bitmaps?: Promise<readonly (ImageBitmap | undefined)[]>
}

const covers = (over: ScreenRegionDto, under: ScreenRegionDto) =>
  over.x <= under.x &&
  over.y <= under.y &&
  over.x + over.width >= under.x + under.width &&
  over.y + over.height >= under.y + under.height

/** Cuts the worker's memory of the message, so that the bytes of one region do not keep all others. */
const blobOf = ({ encodedImage, imageFormat }: ScreenRegionDto) =>
  new Blob([encodedImage as Uint8Array<ArrayBuffer>], { type: mediaTypes[imageFormat] })

/**
 * Draws frames in the order in which they came. What newer frames cover before it is decoded is left out, unless it is
 * moved elsewhere before that.
 */
export class Painter {
  /** Counted since the beginning. */
  drawnFrames = 0
  droppedFrames = 0
  readonly #context: OffscreenCanvasRenderingContext2D
  readonly #onDrawn: () => void
  readonly #onBroken: () => void
  #queue: Frame[] = []
  #isRunning = false

  /** `onBroken` is called for an image that cannot be decoded: its place keeps what it shows. */
  constructor(canvas: OffscreenCanvas, onDrawn: () => void, onBroken: () => void) {
    const context = canvas.getContext('2d', { alpha: false })
    if (!context) {
      throw new Error('This browser cannot draw on a canvas outside of the page.')
    }
    this.#context = context
    this.#onDrawn = onDrawn
    this.#onBroken = onBroken
  }

  add({ regions, moves }: ScreenFrame): void {
    if (!moves) {
      this.#leaveOut(regions)
    }
    this.#queue.push({ regions, ...(moves && { moves }) })
    this.#decodeAhead()
    if (!this.#isRunning) {
      void this.#run()
    }
  }

  /** What was not drawn yet belongs to a picture that is not wanted any more. */
  forget(): void {
    this.#queue = []
  }

  #leaveOut(covering: readonly ScreenRegionDto[]) {
    const lastMoved = this.#queue.findLastIndex(({ moves }) => moves !== undefined)
    for (const frame of this.#queue.slice(Math.max(0, lastMoved))) {
      if (!frame.bitmaps) {
        frame.regions = frame.regions.filter((old) => !covering.some((region) => covers(region, old)))
      }
    }
    const kept = this.#queue.filter(({ bitmaps, regions, moves }) => bitmaps || regions.length > 0 || moves)
    this.droppedFrames += this.#queue.length - kept.length
    this.#queue = kept
  }

  #decodeAhead() {
    for (const frame of this.#queue.slice(0, decodedAhead)) {
      frame.bitmaps ??= Promise.all(frame.regions.map((region) => this.#decode(region)))
    }
  }

  async #decode(region: ScreenRegionDto): Promise<ImageBitmap | undefined> {
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
      const bitmaps = (await frame.bitmaps) ?? []
      if (this.#queue[0] === frame) {
        this.#queue.shift()
        this.#draw(frame, bitmaps)
        this.#decodeAhead()
      }
      bitmaps.forEach((bitmap) => bitmap?.close())
    }
    this.#isRunning = false
  }

  #draw({ regions, moves = [] }: ScreenFrame, bitmaps: readonly (ImageBitmap | undefined)[]) {
    for (const { x, y, width, height, fromX, fromY } of moves) {
      this.#context.drawImage(this.#context.canvas, fromX, fromY, width, height, x, y, width, height)
    }
    regions.forEach(({ x, y, width, height }, index) => {
      const bitmap = bitmaps[index]
      if (bitmap) {
        this.#context.drawImage(bitmap, x, y, width, height)
      }
    })
    this.drawnFrames++
    this.#onDrawn()
  }
}
