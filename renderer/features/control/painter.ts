import { maxPixels, pictureSize } from '../../../shared/picture-size.ts'
import type {
  MovedAreaDto,
  ScreenFrame,
  ScreenRegionDto,
  VideoFrameDto,
} from '../../../shared/remote-control/messages.ts'
import { VideoDecoding, videoSizeOf } from './video-decoding.ts'
import { VideoPictures, type VideoPicture } from './video-picture.ts'

/** Whole-screen pictures decoded at the same time: one is drawn while the next is decoded. */
const decodedAhead = 2
/**
 * Limit for the decoded, drawn and moved pixels of one frame, in whole screens: a few encoded bytes can stand for more
 * pixels than a tab has memory or time for.
 */
const mostPictures = 4
/** Limit for encoded bytes of queued frames. Acks are sent before drawing, so they do not slow down the device. */
const mostWaitingBytes = 128 * 1024 * 1024
/** Limit per frame: each region is compared with each region of the queue. */
const mostRegions = 1000

/** Two seconds of frames. Frames with moves cannot be skipped, so a longer queue is replaced by a key frame. */
const maxWaiting = 120

interface Frame extends ScreenFrame {
  /** Decoded pixels of all regions, and of the video. */
  pixels: number
  /** Resolves when all regions and the video are decoded. */
  decoding?: Promise<void>
  bitmaps?: readonly (ImageBitmap | undefined)[]
  picture?: VideoPicture | undefined
}

const covers = (over: ScreenRegionDto, under: ScreenRegionDto) =>
  over.x <= under.x &&
  over.y <= under.y &&
  over.x + over.width >= under.x + under.width &&
  over.y + over.height >= under.y + under.height

/** Decoded pixels according to the image header; NaN for an unknown format (T35). */
const pixelsOf = ({ encodedImage }: ScreenRegionDto) => {
  const { width, height } = pictureSize(encodedImage) ?? { width: Number.NaN, height: 0 }
  return width * height
}

const bytesOf = ({ regions, video }: ScreenFrame) =>
  regions.reduce((sum, { encodedImage }) => sum + encodedImage.length, video?.packet.length ?? 0)

/** Copies the region out of the message, so that one region does not retain the whole message. */
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
 * Draws frames in order; frames that are decoded by then are drawn as one picture. Regions that newer frames cover are
 * skipped unless they are decoded or moved before.
 */
export class Painter {
  /** Frames skipped because newer ones covered them, since the session began. */
  droppedFrames = 0
  readonly #context: OffscreenCanvasRenderingContext2D
  #aside: OffscreenCanvasRenderingContext2D | undefined
  readonly #onDrawn: (frames: number) => void
  readonly #onBroken: () => void
  readonly #video: VideoDecoding
  readonly #pictures = new VideoPictures()
  #queue: Frame[] = []
  #isRunning = false

  /**
   * `onBroken` is called when the picture differs from the device's: an image cannot be decoded, or too many frames
   * wait. `onVideoFailure` is called when the browser fails to decode a video.
   */
  constructor(
    canvas: OffscreenCanvas,
    onDrawn: (frames: number) => void,
    onBroken: () => void,
    onVideoFailure: () => void = () => {},
  ) {
    this.#context = contextOf(canvas)
    this.#onDrawn = onDrawn
    this.#onBroken = onBroken
    this.#video = new VideoDecoding(onVideoFailure)
  }

  get waitingFrames() {
    return this.#queue.length
  }

  add(frame: ScreenFrame): void {
    const pixels = this.#decodedBy(frame)
    const areas = [...frame.regions, ...(frame.moves ?? []), ...(frame.video?.areas ?? [])]
    const drawn = areas.reduce((sum, area) => sum + this.#drawnBy(area), 0)
    const isDecodable = pixels <= Math.min(mostPictures * this.#pixels, maxPixels)
    // Written with `!` so that NaN counts as too many.
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

  /** Drops queued frames of an obsolete picture. */
  forget(): void {
    this.#queue.forEach(({ bitmaps, picture }) => {
      bitmaps?.forEach((bitmap) => bitmap?.close())
      picture?.close()
    })
    this.#queue = []
    this.#video.close()
  }

  #decodedBy({ regions, video }: ScreenFrame) {
    const { width, height } = videoSizeOf(this.#context.canvas)
    return regions.reduce((sum, region) => sum + pixelsOf(region), video ? width * height : 0)
  }

  get #pixels() {
    return this.#context.canvas.width * this.#context.canvas.height
  }

  /** Upper limit of the drawn pixels of an area, clipped to the canvas size. */
  #drawnBy({ width, height }: { width: number; height: number }) {
    const { canvas } = this.#context
    return Math.min(Math.abs(width), canvas.width) * Math.min(Math.abs(height), canvas.height)
  }

  #leaveOut(covering: readonly ScreenRegionDto[]) {
    const lastMoved = this.#queue.findLastIndex(({ moves }) => moves !== undefined)
    for (const frame of this.#queue.slice(Math.max(0, lastMoved))) {
      if (!frame.decoding) {
        frame.regions = frame.regions.filter((old) => !covering.some((region) => covers(region, old)))
        frame.pixels = this.#decodedBy(frame)
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
    const { video } = frame
    const [picture, ...bitmaps] = await Promise.all([
      video && this.#pictureOf(video),
      ...frame.regions.map((region) => this.#bitmapOf(region)),
    ])
    if (this.#queue.includes(frame)) {
      frame.bitmaps = bitmaps
      frame.picture = picture
    } else {
      bitmaps.forEach((bitmap) => bitmap?.close())
      picture?.close()
    }
  }

  async #pictureOf({ packet, areas }: VideoFrameDto): Promise<VideoPicture | undefined> {
    const decoded = await this.#video.decode(packet, this.#context.canvas)
    if (!decoded) {
      this.#onBroken()
      return undefined
    }
    return await this.#pictures.take(decoded, areas)
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
      frame.picture?.close()
    }
    this.#decodeAhead()
    this.#onDrawn(drawn)
  }

  #draw({ regions, moves = [], picture }: Frame, bitmaps: readonly (ImageBitmap | undefined)[]) {
    moves.forEach((moved) => this.#move(moved))
    regions.forEach(({ x, y, width, height }, index) => {
      const bitmap = bitmaps[index]
      if (bitmap) {
        this.#context.drawImage(bitmap, x, y, width, height)
        bitmap.close()
      }
    })
    picture?.draw(this.#context)
  }

  /** Moves an area by way of a second canvas: drawing a canvas onto itself takes three times as long. */
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
