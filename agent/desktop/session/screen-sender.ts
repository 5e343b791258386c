import { isDeepStrictEqual } from 'node:util'
import { deferred } from '../../../shared/deferred.ts'
import type { Channel } from '../../../shared/remote-control/channel.ts'
import type {
  CaptureSettingsDto,
  DeviceMessage,
  ScreenFrame,
  ViewerMessage,
} from '../../../shared/remote-control/messages.ts'
import type { Clock } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Desktop, Display, Picture, Screen } from '../../platform/desktop/desktop.ts'
import { allDisplays } from '../../../shared/remote-control/values.ts'
import { unionOf } from '../../platform/desktop/areas.ts'
import { DrawnPointer } from './drawn-pointer.ts'
import { bytesPerMbit, FrameTimes } from './frame-times.ts'
import { Quality } from './quality.ts'
import { RegionEncoder } from './region-encoder.ts'
import { noChanges, ShownPicture, type Changes } from './shown-picture.ts'
import type { VideoLink } from './video-rate.ts'
import { VideoStream } from './video-stream.ts'

export type DeviceChannel = Channel<DeviceMessage, ViewerMessage>

export interface ScreenSenderDependencies {
  desktop: Desktop
  channel: DeviceChannel
  clock: Clock
  /** Settings that the viewer will send, if they are known before. */
  settings?: CaptureSettingsDto | undefined
  /** Called when the screen repeatedly failed to capture. */
  onFailure: (reason: string) => void
}

/** Polling interval for the pointer while the viewer shows the device's pointer: systems send no event. */
const lookMs = 1000 / 30
const retryMs = 500
/** Longest wait for the viewer's first settings: a picture sent before them is sent again with them. */
const settingsMs = 250
const maxFailures = 5

interface OpenScreen {
  of: Display
  source: Screen
}

const bytesOf = ({ regions, video }: ScreenFrame) =>
  regions.reduce((sum, { encodedImage }) => sum + encodedImage.length, video?.packet.length ?? 0)

const emptyFrame: ScreenFrame = { regions: [] }

/**
 * Keeps the viewer's picture of one display up to date: sends as fast as the connection allows, then sharpens areas
 * that stand still.
 */
export class ScreenSender {
  readonly quality = new Quality()
  readonly #deps: ScreenSenderDependencies
  readonly #encoder = new RegionEncoder()
  readonly #times: FrameTimes
  #display: Display | undefined
  #screen: OpenScreen | undefined
  #picture: Picture | undefined
  readonly #shown = new ShownPicture(this.quality)
  readonly #video: VideoStream
  #settings: CaptureSettingsDto | undefined
  /** Resolves with the viewer's first settings, or without them after `settingsMs`. */
  readonly #hasSettings = deferred<void>()
  #pointer: DrawnPointer | undefined
  #stopLooking = () => {}
  #encoding: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #hasChanged = false
  #isKeyFrameDue = true
  #wake = () => {}
  /** Time of the oldest change that is not captured yet. */
  #changedAt = 0
  #failures = 0
  /** Frames sent since the last call of `takeFrameCount`. */
  #frames = 0

  constructor(deps: ScreenSenderDependencies) {
    this.#deps = deps
    this.#times = new FrameTimes(deps)
    this.#video = new VideoStream(deps.desktop.openVideo)
    // An ack may arrive long before the estimate, after a pause of the link.
    deps.channel.onAck = () => this.#wake()
    deps.clock.after(settingsMs, () => this.#hasSettings.resolve())
    this.show(undefined)
    if (deps.settings) {
      this.apply(deps.settings)
    }
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

  /** Shows a display by id, or all of them; without an id the primary display. An unknown id changes nothing. */
  show(displayId: string | undefined): void {
    const displays = this.#deps.desktop.displays()
    const fallback = displays.find(({ isPrimary }) => isPrimary) ?? displays[0]
    const display = displayId === undefined ? fallback : this.#find(displayId)
    if (display || displayId === undefined) {
      this.#display = display
      this.requestKeyFrame()
    }
  }

  #find(displayId: string): Display | undefined {
    const { desktop } = this.#deps
    const displays = desktop.displays()
    return displayId === allDisplays && desktop.spansDisplays && displays.length > 1
      ? { id: allDisplays, name: allDisplays, isPrimary: false, bounds: unionOf(displays.map(({ bounds }) => bounds)) }
      : displays.find(({ id }) => id === displayId)
  }

  /** Handles a change of displays: continues with the same display if that display still exists. */
  followDisplays(): void {
    this.show(this.#display && this.#find(this.#display.id) ? this.#display.id : undefined)
  }

  /** Ignores unchanged settings, such as those of the request, which the viewer sends again as it connects. */
  apply(settings: CaptureSettingsDto): void {
    if (isDeepStrictEqual(settings, this.#settings)) {
      return
    }
    this.#settings = settings
    this.quality.apply(settings)
    this.#stopLooking()
    const { desktop } = this.#deps
    desktop.showPointer?.(settings.captureCursor)
    this.#pointer = settings.captureCursor && !desktop.showPointer ? new DrawnPointer(desktop) : undefined
    this.#stopLooking = this.#pointer ? this.#deps.clock.every(lookMs, () => void this.#look()) : () => {}
    this.requestKeyFrame()
    this.#hasSettings.resolve()
  }

  async #look() {
    try {
      if (await this.#pointer?.look()) {
        this.#change()
      }
    } catch {
      // A closed desktop reports its end through `onEnd`.
    }
  }

  #change() {
    this.#changedAt = this.#hasChanged ? this.#changedAt : this.#deps.clock.monotonic()
    this.#hasChanged = true
    this.#wake()
  }

  requestKeyFrame(): void {
    this.#isKeyFrameDue = true
    this.#wake()
  }

  /** Resolves when no reader of the picture is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopLooking()
    this.#wake()
    await this.#encoding
    this.#video.close()
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
    const { channel } = this.#deps
    // Opens the screen meanwhile; the first frame reports a failure.
    await this.#currentScreen().catch(() => undefined)
    await this.#hasSettings.promise
    // An ended channel resolves at once: another turn would keep everything else from running.
    while (!this.#isClosed && !channel.hasEnded) {
      await this.#untilDue()
      if (!this.#isClosed) {
        await channel.sendFrame(() => this.#frame())
      }
    }
  }

  /**
   * Waits until there is a change to send and the next frame is due: a frame captured now would be ready when the link
   * has transmitted the frames before.
   */
  async #untilDue() {
    const { clock } = this.#deps
    this.#times.beginWait()
    for (;;) {
      const now = clock.monotonic()
      const waitMs = this.#times.waitMs(now, this.#hasWork())
      const workMs = this.#hasWork() ? 0 : this.#shown.sharpenAfterMs(now, this.#isLight())
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

  #isLight() {
    return this.quality.isLight(this.#deps.channel.sentMbps)
  }

  async #frame(): Promise<ScreenFrame> {
    const startedAt = this.#deps.clock.monotonic()
    this.#times.begin(startedAt, this.#hasChanged ? this.#changedAt : undefined)
    try {
      const frame = await this.#read(startedAt).finally(() => this.#pointer?.erase())
      this.#failures = 0
      this.#frames += frame.regions.length > 0 || frame.moves ? 1 : 0
      this.#plan(startedAt, frame)
      return frame
    } catch (error) {
      this.#fail(error, startedAt)
      return emptyFrame
    }
  }

  async #read(now: number): Promise<ScreenFrame> {
    const screen = await this.#currentScreen()
    const { channel } = this.#deps
    this.quality.update(channel.sentMbps, channel.latencyMs, this.#times.delay, this.#times.linkUse())
    const { regions, moves, video } = screen && this.#hasWork() ? await this.#changes(screen, now) : noChanges()
    if (this.#picture && (regions.length === 0 || this.#isLight())) {
      regions.push(...this.#shown.sharpened(this.#picture, now, video.length > 0))
    }
    // The display may have changed or the session ended during the capture.
    if (!screen || !this.#picture || this.#isClosed || screen.of !== this.#display) {
      return emptyFrame
    }
    this.#pointer?.redraw(this.#picture, screen.of.bounds)
    // No capture may run before encoding is done: the picture is encoded in place.
    const parts = [
      this.#encoder.encode(this.#picture, regions, this.quality.settings.encodingFormat),
      video.length > 0 ? this.#video.encode(this.#picture, video, now, this.#videoLink()) : Promise.resolve(undefined),
    ] as const
    // Both, also when one fails: neither the picture nor the encoder may end under the other.
    this.#encoding = Promise.allSettled(parts)
    await this.#encoding
    const [encoded, encodedVideo] = await Promise.all(parts)
    if (regions.some(({ isSharp }) => !isSharp)) {
      this.#times.movingBytes = bytesOf({ regions: encoded })
    }
    // Without its encoder, a video goes on as images.
    this.#isKeyFrameDue ||= video.length > 0 && !encodedVideo
    return {
      regions: encoded,
      ...((moves.length > 0 || encodedVideo) && { moves }),
      ...(encodedVideo && { video: encodedVideo }),
    }
  }

  #videoLink(): VideoLink {
    const { channel } = this.#deps
    const { isMaxBandwidthEnabled, maxBandwidthMbps } = this.quality.settings
    const msPerMbit = channel.transmissionMs(bytesPerMbit)
    return {
      mbps: 1000 / msPerMbit,
      queueMs: channel.queueMs,
      mostMbps: isMaxBandwidthEnabled ? maxBandwidthMbps : Number.POSITIVE_INFINITY,
    }
  }

  #canUseVideo(picture: Picture): boolean {
    return this.quality.acceptsVideo && this.#video.canEncode(picture)
  }

  async #currentScreen(): Promise<OpenScreen | undefined> {
    const display = this.#display
    if (this.#screen?.of !== display) {
      this.#closeScreen()
    }
    if (!display || this.#isClosed) {
      return undefined
    }
    if (!this.#screen) {
      const source = await this.#deps.desktop.openScreen(display)
      // Another display is due by now, whose key frame a picture of this one would use up.
      if (this.#isClosed || display !== this.#display) {
        source.close()
        return undefined
      }
      source.onChange = () => this.#change()
      this.#screen = { of: display, source }
      this.#isKeyFrameDue = true
    }
    return this.#screen
  }

  async #changes({ of: display, source }: OpenScreen, now: number): Promise<Changes> {
    const isWhole = this.#isKeyFrameDue
    const changedAt = this.#changedAt
    this.#isKeyFrameDue = false
    this.#hasChanged = false
    const { picture, areas } = await source.capture(isWhole)
    this.#picture = picture
    const pointerAreas = this.#pointer?.draw(picture, display.bounds) ?? []
    if (isWhole) {
      this.#video.requestKey()
      return this.#shown.whole(picture, now)
    }
    const { sentMbps } = this.#deps.channel
    const { frameMs } = this.#times.linkUse()
    const use = { sentMbps, frameMs, canUseVideo: this.#canUseVideo(picture), changedAt }
    return this.#shown.changes(picture, [...areas, ...pointerAreas], now, use)
  }

  #plan(startedAt: number, frame: ScreenFrame) {
    const { isMaxBandwidthEnabled, maxBandwidthMbps } = this.quality.settings
    const bytes = bytesOf(frame)
    const lineMs = isMaxBandwidthEnabled ? (bytes * 8) / (maxBandwidthMbps * 1000) : 0
    const videoMs = frame.video ? this.#video.rate.intervalMs : 0
    this.#times.end(startedAt, bytes, Math.max(lineMs, videoMs))
  }

  #fail(error: unknown, startedAt: number) {
    this.#isKeyFrameDue = true
    this.#times.pause(startedAt + retryMs)
    this.#failures++
    this.#closeScreen()
    if (this.#failures >= maxFailures && !this.#isClosed) {
      this.#deps.onFailure(`The screen cannot be read: ${reasonOf(error)}.`)
    }
  }
}
