import { maxVideoPixels, type VideoFrameDto } from '../../../shared/remote-control/messages.ts'
import { pixelsOf } from '../../platform/desktop/areas.ts'
import type { OpenVideo, Picture, Rectangle, VideoEncoder } from '../../platform/desktop/desktop.ts'
import { VideoRate, type VideoLink } from './video-rate.ts'

/** Video of the areas that move on one display. Its picture has the size of the display, and only those areas have a meaning. */
export class VideoStream {
  readonly rate = new VideoRate()
  readonly #open: OpenVideo | undefined
  #encoder: { of: VideoEncoder; width: number; height: number } | undefined
  #isKeyDue = true
  #encodedAt = Number.NEGATIVE_INFINITY
  #hasFailed = false

  constructor(open: OpenVideo | undefined) {
    this.#open = open
  }

  /** Whether pictures of this size can be encoded. */
  canEncode({ width, height }: { width: number; height: number }): boolean {
    return this.#open !== undefined && !this.#hasFailed && width * height <= maxVideoPixels
  }

  /** Makes the next packet decodable by itself. Call with each whole picture: viewers and recordings begin there. */
  requestKey(): void {
    this.#isKeyDue = true
  }

  /** Resolves with undefined if the encoder failed; it is not used again. */
  async encode(
    picture: Picture,
    areas: readonly Rectangle[],
    now: number,
    link: VideoLink,
  ): Promise<VideoFrameDto | undefined> {
    const encoder = this.#encoderFor(picture)
    if (!encoder) {
      return undefined
    }
    this.rate.follow(pixelsOf(areas), link)
    const options = { isKey: this.#isKeyDue, sinceMs: now - this.#encodedAt, kbitPerSecond: this.rate.kbitPerSecond }
    this.#isKeyDue = false
    this.#encodedAt = now
    try {
      return { packet: await encoder.encode(picture, areas, options), areas }
    } catch {
      this.#hasFailed = true
      this.close()
      return undefined
    }
  }

  /** Call when no call of `encode` is pending. */
  close(): void {
    this.#encoder?.of.close()
    this.#encoder = undefined
  }

  #encoderFor({ width, height }: Picture): VideoEncoder | undefined {
    if (this.#encoder?.width !== width || this.#encoder.height !== height) {
      this.close()
      const of = this.#open?.({ width, height })
      this.#hasFailed = of === undefined
      this.#encoder = of && { of, width, height }
      this.#isKeyDue = true
    }
    return this.#encoder?.of
  }
}
