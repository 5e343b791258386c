import type { MovedAreaDto } from '../../../shared/remote-control/messages.ts'
import { imageFormat } from '../../../shared/remote-control/values.ts'
import { pixelsOf } from '../../platform/desktop/areas.ts'
import type { Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import type { Quality } from './quality.ts'
import { MovingAreas } from './moving-areas.ts'
import { inBands, type Region } from './region-encoder.ts'
import { RoughAreas } from './rough-areas.ts'
import { SentPicture } from './sent-picture.ts'
import { joined, partsOf } from './cells.ts'
import { VideoChoice } from './video-choice.ts'
import { pixelNumbers, type PixelNumbers } from './pixel-numbers.ts'

/** Share of pixels like their left or upper neighbor from which an area is text or drawn: photographs have hardly any. */
const plainShare = 0.4

/** Whether most pixels are like a neighbor. */
function isPlain({ numbers, perRow }: PixelNumbers, { x, y, width, height }: Rectangle): boolean {
  let different = 0
  const most = width * height * (1 - plainShare)
  // Until the rest cannot change the answer.
  for (let row = 0; row < height && different <= most && different + (height - row) * width > most; row++) {
    const start = (y + row) * perRow + x
    for (let column = 1; column < width; column++) {
      const color = numbers[start + column]
      if (color !== numbers[start + column - 1] && (row === 0 || color !== numbers[start + column - perRow])) {
        different++
      }
    }
  }
  return different <= most
}

/** Divides areas into parts with text, or drawn like buttons and tables, and parts with photographs and the like. */
export function splitPlain(picture: Picture, areas: readonly Rectangle[]): { plain: Rectangle[]; rest: Rectangle[] } {
  const pixels = pixelNumbers(picture)
  const [plain, rest]: [Rectangle[], Rectangle[]] = [[], []]
  for (const area of areas) {
    for (const part of partsOf(area)) {
      ;(isPlain(pixels, part) ? plain : rest).push(part)
    }
  }
  return { plain: joined(plain), rest: joined(rest) }
}

/**
 * Changes up to this many pixels are sent sharp at once on a quiet connection, so that typed text never looks blurred.
 */
const smallPixels = 150_000
/** Limit beside a video, whose frames must not wait. */
const smallPixelsBesideVideo = 30_000
/** Maximum number of pixels sharpened per frame, which bounds the delay of newer changes. */
const sharpenPixels = 300_000
const sharpenPixelsBesideVideo = 60_000
const pauseMs = 100
/**
 * Time without a large change after which text is sent exactly at once, in place of first roughly: the images take a third of
 * the bytes, but ten times as long.
 */
const restedMs = 200
/** Time in ms in which the link transmits a frame from which exact text is faster than rough. */
const slowFrameMs = 40
/** Maximum number of parts of a picture with text and photographs: each costs the viewer as much as many pixels. */
const maxParts = 48

/** Changes for a viewer: `moves` are applied before `regions`, and the `video` of these areas last. */
export interface Changes {
  regions: Region[]
  moves: MovedAreaDto[]
  video: Rectangle[]
}

interface ChangeUse {
  sentMbps: number
  /** Time in ms in which the link transmits a frame of moving areas. */
  frameMs: number
  canUseVideo: boolean
  /** Time of the first drawing since the capture before. */
  changedAt: number
}

export const noChanges = (): Changes => ({ regions: [], moves: [], video: [] })

/**
 * Tracks the picture and the quality that a viewer sees: decides which parts of a new picture are sent, and in which
 * quality.
 */
export class ShownPicture {
  readonly #quality: Quality
  #sent: SentPicture | undefined
  #rough = new RoughAreas({ width: 0, height: 0 })
  #moving = new MovingAreas({ width: 0, height: 0 })
  readonly #choice = new VideoChoice()
  #changedAt = 0
  #largeChangeAt = Number.NEGATIVE_INFINITY

  constructor(quality: Quality) {
    this.#quality = quality
  }

  whole(picture: Picture, now: number): Changes {
    const { width, height } = picture
    if (this.#sent?.width !== width || this.#sent.height !== height) {
      this.#sent = new SentPicture(picture)
      this.#moving = new MovingAreas(picture)
    }
    this.#rough = new RoughAreas(picture)
    this.#sent.replace(picture)
    return { ...noChanges(), regions: this.#regions(picture, [{ x: 0, y: 0, width, height }], now) }
  }

  /** Returns the parts of the areas that differ from the viewer's picture; those that move as video, if that is possible. */
  changes(
    picture: Picture,
    areas: readonly Rectangle[],
    now: number,
    { sentMbps, frameMs, canUseVideo, changedAt }: ChangeUse,
  ): Changes {
    if (picture.width !== this.#sent?.width || picture.height !== this.#sent.height) {
      return this.whole(picture, now)
    }
    const moves = this.#quality.settings.acceptsMoves ? this.#sent.moves(picture, areas) : []
    moves.forEach((moved) => this.#rough.move(moved, now))
    const all = this.#sent.changes(picture, areas)
    if (all.length > 0 || moves.length > 0) {
      this.#changedAt = now
    }
    const { moving, rest: still } = canUseVideo ? this.#split(all, now, changedAt, frameMs) : { moving: [], rest: all }
    moving.forEach((area) => this.#rough.markRough(area, now))
    const isQuiet = this.#quality.isQuiet(sentMbps) || moves.length > 0
    const mostSharp = moving.length > 0 ? smallPixelsBesideVideo : isQuiet ? smallPixels : 0
    const isRested = now - this.#largeChangeAt >= restedMs || frameMs > slowFrameMs
    if (pixelsOf(all) > mostSharp) {
      this.#largeChangeAt = now
    }
    const isSmall = pixelsOf(still) <= mostSharp
    const regions = this.#regions(picture, still, now, isSmall, isSmall || isRested)
    return { regions, moves, video: moving }
  }

  /** Returns the areas that are sent as video, and the others. A viewer that limits the bandwidth gets no motion as images. */
  #split(changed: readonly Rectangle[], now: number, changedAt: number, frameMs: number) {
    const split = this.#moving.split(changed, now, changedAt)
    if (this.#quality.settings.isMaxBandwidthEnabled) {
      return split
    }
    if (split.moving.length > 0) {
      this.#choice.follow(now, frameMs)
    }
    return this.#choice.prefersImages ? { moving: [], rest: changed } : split
  }

  /** Returns areas that stand still and are shown in low quality, to be sent again sharp. */
  sharpened(picture: Picture, now: number, isBesideVideo: boolean): Region[] {
    const most = isBesideVideo ? sharpenPixelsBesideVideo : sharpenPixels
    return this.#regions(picture, this.#rough.takeStill(now, most), now, true)
  }

  /** Milliseconds until `sharpened` has work; under heavy traffic sharpening waits for a pause. */
  sharpenAfterMs(now: number, isLight: boolean): number | undefined {
    const dueMs = this.#rough.dueAfterMs(now)
    return dueMs === undefined || isLight ? dueMs : Math.max(dueMs, this.#changedAt + pauseMs - now)
  }

  /** Text is exact, if the viewer accepts that; anything else is sharp or rough. */
  #regions(picture: Picture, areas: readonly Rectangle[], now: number, isSharp = false, canBeExact = true): Region[] {
    const { plain, rest } =
      canBeExact && this.#quality.acceptsExact ? splitPlain(picture, areas) : { plain: [], rest: areas }
    // Rough areas are divided when they are sharpened, a few at a time.
    if (!isSharp && plain.length + rest.length > maxParts + areas.length) {
      return this.#regions(picture, areas, now, isSharp, false)
    }
    return [
      ...rest.flatMap((area) => inBands(area)).map((area) => (isSharp ? this.#sharp(area) : this.#rougher(area, now))),
      ...plain.flatMap((area) => inBands(area, true)).map((area) => ({ ...this.#sharp(area), isExact: true })),
    ]
  }

  #rougher(area: Rectangle, now: number): Region {
    if (this.#quality.settings.encodingFormat !== imageFormat.Png) {
      this.#rough.markRough(area, now)
    }
    return { area, quality: this.#quality.current, isSharp: false }
  }

  #sharp(area: Rectangle): Region {
    this.#rough.markSharp(area)
    return { area, quality: this.#quality.sharp, isSharp: true }
  }
}
