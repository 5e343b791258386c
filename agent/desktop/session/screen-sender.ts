import type { Channel } from '../../../shared/remote-control/channel.ts'
import type {
  CaptureSettingsDto,
  DeviceMessage,
  MovedAreaDto,
  ScreenFrame,
  ViewerMessage,
} from '../../../shared/remote-control/messages.ts'
import { imageFormat } from '../../../shared/remote-control/values.ts'
import type { Clock } from '../../clock.ts'
import { reasonOf } from '../../errors.ts'
import type { Desktop, Display, Picture, Rectangle, Screen } from '../desktop.ts'
import { Quality } from './quality.ts'
import { inBands, RegionEncoder, type Region } from './region-encoder.ts'
import { RoughAreas } from './rough-areas.ts'
import { SentPicture } from './sent-picture.ts'

export type DeviceChannel = Channel<DeviceMessage, ViewerMessage>

export interface ScreenSenderPorts {
  desktop: Desktop
  channel: DeviceChannel
  clock: Clock
  /** The screen cannot be read, and that does not get better. */
  onFailure: (reason: string) => void
}

const frameMs = 1000 / 60
/** Pictures up to this many pixels are sent sharp at once on a quiet line: typing never looks blurred. */
const smallPixels = 150_000
/** Of what is sent again at a time: what changes meanwhile waits only for so much. */
const sharpenPixels = 300_000
const pauseMs = 100
const retryMs = 500
const maxFailures = 5

interface Changes {
  regions: Region[]
  moves: MovedAreaDto[]
}

const emptyFrame: ScreenFrame = { regions: [] }

const pixelsOf = (areas: readonly Rectangle[]) => areas.reduce((sum, { width, height }) => sum + width * height, 0)

/** Keeps the viewer's picture of one display up to date: as new as the line permits, sharp once it stands still. */
export class ScreenSender {
  readonly quality = new Quality()
  readonly #ports: ScreenSenderPorts
  readonly #encoder = new RegionEncoder()
  #display: Display | undefined
  #screen: { of: Display; source: Screen } | undefined
  #picture: Picture | undefined
  #sent: SentPicture | undefined
  #rough = new RoughAreas({ width: 0, height: 0 })
  #encoding: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #hasChanged = false
  #isKeyFrameDue = true
  #wake = () => {}
  /** Frames have used up the time until then; one may be taken in advance, so that a key that was just typed shows at once. */
  #usedUntil = 0
  #failures = 0
  #changedAt = 0
  /** Since the last look at it. */
  #frames = 0

  constructor(ports: ScreenSenderPorts) {
    this.#ports = ports
    this.show(undefined)
    void this.#run()
  }

  get display() {
    return this.#display
  }

  takeFrameCount(): number {
    const frames = this.#frames
    this.#frames = 0
    return frames
  }

  /** Another display, by its id; without one the primary display. An unknown one changes nothing. */
  show(displayId: string | undefined): void {
    const displays = this.#ports.desktop.displays()
    const fallback = displays.find(({ isPrimary }) => isPrimary) ?? displays[0]
    const display = displayId === undefined ? fallback : displays.find(({ id }) => id === displayId)
    if (display || displayId === undefined) {
      this.#display = display
      this.requestKeyFrame()
    }
  }

  /** Displays came, went or changed: goes on with the same one if it is still there. */
  followDisplays(): void {
    const id = this.#display?.id
    this.show(this.#ports.desktop.displays().some((display) => display.id === id) ? id : undefined)
  }

  apply(settings: CaptureSettingsDto): void {
    this.quality.apply(settings)
    this.requestKeyFrame()
  }

  requestKeyFrame(): void {
    this.#isKeyFrameDue = true
    this.#wake()
  }

  /** Resolves when nothing reads the picture any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    await this.#encoding
    this.#closeScreen()
  }

  #closeScreen() {
    if (this.#screen) {
      this.#screen.source.onChange = () => {}
      this.#screen.source.close()
    }
    this.#screen = undefined
    this.#picture = undefined
  }

  async #run() {
    const { channel } = this.#ports
    while (!this.#isClosed) {
      await this.#untilDue()
      if (!this.#isClosed) {
        await channel.sendFrame(() => this.#frame())
      }
    }
  }

  /** Waits until there is something to show, and its time has come. */
  async #untilDue() {
    const { clock } = this.#ports
    for (;;) {
      const now = clock.monotonic()
      const waitMs = this.#usedUntil - frameMs - now
      const workMs = this.#hasWork() ? 0 : this.#sharpenAfterMs(now)
      if (this.#isClosed || (workMs !== undefined && Math.max(workMs, waitMs) < 0.5)) {
        return
      }
      await new Promise<void>((resolve) => {
        const cancel = workMs === undefined ? () => {} : clock.after(Math.max(workMs, waitMs, 1), resolve)
        this.#wake = () => {
          cancel()
          resolve()
        }
      })
      this.#wake = () => {}
    }
  }

  #hasWork() {
    return this.#display !== undefined && (this.#isKeyFrameDue || this.#hasChanged)
  }

  /** While much changes, what stands still waits for a pause. */
  #sharpenAfterMs(now: number): number | undefined {
    const dueMs = this.#rough.dueAfterMs(now)
    return dueMs === undefined || this.#isLight() ? dueMs : Math.max(dueMs, this.#changedAt + pauseMs - now)
  }

  #isLight() {
    return this.#ports.channel.sentMbps < this.quality.settings.autoQualityLowerThresholdMbps
  }

  async #frame(): Promise<ScreenFrame> {
    const startedAt = this.#ports.clock.monotonic()
    try {
      const frame = await this.#read(startedAt)
      this.#failures = 0
      this.#frames += frame.regions.length > 0 || frame.moves ? 1 : 0
      this.#pace(startedAt, frame)
      return frame
    } catch (error) {
      this.#fail(error, startedAt)
      return emptyFrame
    }
  }

  async #read(now: number): Promise<ScreenFrame> {
    const screen = await this.#currentScreen()
    const { channel } = this.#ports
    this.quality.update(channel.sentMbps, channel.latencyMs)
    const { regions, moves } = screen && this.#hasWork() ? await this.#changes(screen, now) : { regions: [], moves: [] }
    if (regions.length === 0 || this.#isLight()) {
      regions.push(...this.#sharpened(now))
    }
    // The display may have been changed, or the session ended, while it was read.
    if (!this.#picture || this.#isClosed || this.#screen?.of !== this.#display) {
      return emptyFrame
    }
    // Nothing is captured before this is done: the picture is encoded in place.
    const encoding = this.#encoder.encode(this.#picture, regions, this.quality.settings.encodingFormat)
    this.#encoding = encoding
    return { regions: await encoding, ...(moves.length > 0 && { moves }) }
  }

  async #currentScreen(): Promise<Screen | undefined> {
    const display = this.#display
    if (this.#screen?.of !== display) {
      this.#closeScreen()
    }
    if (!display || this.#isClosed) {
      return undefined
    }
    if (!this.#screen) {
      const source = await this.#ports.desktop.openScreen(display)
      if (this.#isClosed) {
        source.close()
        return undefined
      }
      source.onChange = () => {
        this.#hasChanged = true
        this.#wake()
      }
      this.#screen = { of: display, source }
      this.#isKeyFrameDue = true
    }
    return this.#screen.source
  }

  async #changes(screen: Screen, now: number): Promise<Changes> {
    const isWhole = this.#isKeyFrameDue
    this.#isKeyFrameDue = false
    this.#hasChanged = false
    const { picture, areas } = await screen.capture(isWhole)
    this.#picture = picture
    if (isWhole || picture.width !== this.#sent?.width || picture.height !== this.#sent.height) {
      return { regions: [this.#wholeOf(picture, now)], moves: [] }
    }
    const moves = this.quality.settings.acceptsMoves ? this.#sent.moves(picture, areas) : []
    moves.forEach((moved) => this.#rough.move(moved, now))
    const changed = this.#sent.changes(picture, areas)
    if (changed.length > 0 || moves.length > 0) {
      this.#changedAt = now
    }
    const isSharp = pixelsOf(changed) <= smallPixels && this.quality.isQuiet(this.#ports.channel.sentMbps)
    const parts = changed.flatMap(inBands)
    return { regions: parts.map((area) => (isSharp ? this.#sharp(area) : this.#moving(area, now))), moves }
  }

  #wholeOf(picture: Picture, now: number): Region {
    const { width, height } = picture
    if (this.#sent?.width !== width || this.#sent.height !== height) {
      this.#sent = new SentPicture(picture)
    }
    this.#rough = new RoughAreas(picture)
    this.#sent.replace(picture)
    return this.#moving({ x: 0, y: 0, width, height }, now)
  }

  #moving(area: Rectangle, now: number): Region {
    if (this.quality.settings.encodingFormat !== imageFormat.Png) {
      this.#rough.markRough(area, now)
    }
    return { area, quality: this.quality.current, isSharp: false }
  }

  #sharp(area: Rectangle): Region {
    this.#rough.markSharp(area)
    return { area, quality: this.quality.sharp, isSharp: true }
  }

  #sharpened(now: number): Region[] {
    return this.#rough.takeStill(now, sharpenPixels).map((area) => this.#sharp(area))
  }

  #pace(startedAt: number, { regions }: ScreenFrame) {
    const { isMaxBandwidthEnabled, maxBandwidthMbps } = this.quality.settings
    const bytes = regions.reduce((sum, { encodedImage }) => sum + encodedImage.length, 0)
    const lineMs = isMaxBandwidthEnabled ? (bytes * 8) / (maxBandwidthMbps * 1000) : 0
    this.#usedUntil = Math.max(this.#usedUntil, startedAt) + Math.max(frameMs, lineMs)
  }

  #fail(error: unknown, startedAt: number) {
    this.#isKeyFrameDue = true
    this.#usedUntil = startedAt + retryMs
    this.#failures++
    this.#closeScreen()
    if (this.#failures >= maxFailures && !this.#isClosed) {
      this.#ports.onFailure(`The screen cannot be read: ${reasonOf(error)}.`)
    }
  }
}
