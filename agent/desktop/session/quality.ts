import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import { imageFormat } from '../../../shared/remote-control/values.ts'
import { defaultCaptureSettings } from '../../../shared/remote-control/viewer.ts'

/** Minimum quality for areas that stand still in automatic mode: text looks as on the screen. */
const sharpQuality = 90
/**
 * Latency increase in ms above which the connection counts as congested; `freeMs` is the limit below which it counts as
 * free.
 */
const busyMs = 120
const freeMs = 50
const stepDown = 8
const stepUp = 3
/**
 * Delay of changes in ms above which frames count as slow, here about 40 a second, and below which they count as fast.
 */
const slowMs = 8
const fastMs = 4
/** Part of the delay that the link may cause before the quality falls below `plainQuality`. */
const slowLinkMs = 30
/**
 * Quality down to which the ceiling falls for slow frames on a fast link: at a lower quality, frames are encoded and
 * decoded hardly faster.
 */
const plainQuality = 40
/**
 * Share of the link that frames may use, and share of the window that one frame may fill, while a ceiling below
 * `plainQuality` rises. The estimated share of the link is rather too low.
 */
const roomyLink = 0.6
const roomyWindow = 0.75
/** Maximum traffic at which still areas are sharpened beside changes, if the viewer's lower threshold is above it. */
const lightMbps = defaultCaptureSettings.autoQualityLowerThresholdMbps
/** Limit of the viewer below which single images say more than a video: hidden pictures ask for less. */
const leastVideoMbps = 1

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
const orDefault = (value: number, isUsable: boolean, standard: number) => (isUsable ? value : standard)

/** Usual time in ms that a change waits until its frame is captured, beyond the shortest interval between frames. */
export interface FrameDelay {
  /** For any reason: device, link or viewer. */
  totalMs: number
  linkMs: number
}

/** Use of the link by the last frame in the quality of moving areas. Frames of other kinds do not show its cost. */
export interface LinkUse {
  /** Time in ms in which the link transmits such a frame. */
  frameMs: number
  /** Share of the window that such a frame fills. */
  windowShare: number
  /** Share of the link that all traffic used in the last second. */
  linkShare: number
}

const noDelay: FrameDelay = { totalMs: 0, linkMs: 0 }
const noUse: LinkUse = { frameMs: 0, windowShare: 0, linkShare: 0 }

/** Clamps a viewer's settings to their valid ranges. */
export function clampSettings(asked: CaptureSettingsDto): CaptureSettingsDto {
  const standard = defaultCaptureSettings
  const least = orDefault(asked.autoQualityMinimum, asked.autoQualityMinimum >= 1, standard.autoQualityMinimum)
  const most = orDefault(asked.autoQualityMaximum, asked.autoQualityMaximum >= 2, standard.autoQualityMaximum)
  const autoQualityMinimum = clamp(least, 1, 99)
  const finite = (name: 'autoQualityLowerThresholdMbps' | 'autoQualityUpperThresholdMbps' | 'maxBandwidthMbps') =>
    orDefault(asked[name], Number.isFinite(asked[name]), standard[name])
  const autoQualityLowerThresholdMbps = Math.max(1, finite('autoQualityLowerThresholdMbps'))
  return {
    ...asked,
    manualQuality: clamp(asked.manualQuality, 1, 100),
    autoQualityMinimum,
    autoQualityMaximum: clamp(most, autoQualityMinimum + 1, 100),
    autoQualityLowerThresholdMbps,
    autoQualityUpperThresholdMbps: Math.max(autoQualityLowerThresholdMbps + 1, finite('autoQualityUpperThresholdMbps')),
    maxBandwidthMbps: Math.max(0.1, finite('maxBandwidthMbps')),
  }
}

/** Encoding quality: fixed by the viewer's settings, or adapted to bandwidth and latency. */
export class Quality {
  settings = defaultCaptureSettings
  /** Quality of moving areas, 1 to 100. */
  current = defaultCaptureSettings.manualQuality
  #ceiling = 100
  #shortestMs = Number.POSITIVE_INFINITY

  apply(asked: CaptureSettingsDto): void {
    this.settings = clampSettings(asked)
    this.#ceiling = 100
    this.update(0, undefined)
  }

  /** Quality of areas that stand still. */
  get sharp(): number {
    const { isAutoQualityEnabled, autoQualityMaximum, manualQuality } = this.settings
    return isAutoQualityEnabled ? Math.max(autoQualityMaximum, sharpQuality) : manualQuality
  }

  /** Whether the viewer wants text exactly as it is, whatever the format of other images. */
  get acceptsExact(): boolean {
    const { acceptsLossless, isAutoQualityEnabled, encodingFormat } = this.settings
    return acceptsLossless === true && isAutoQualityEnabled && encodingFormat === imageFormat.Jpeg
  }

  /** Whether the viewer wants video: not with a quality or format of its choice, nor with hardly any bandwidth. */
  get acceptsVideo(): boolean {
    const { acceptsVp8, isAutoQualityEnabled, encodingFormat, isMaxBandwidthEnabled, maxBandwidthMbps } = this.settings
    const isNarrow = isMaxBandwidthEnabled && maxBandwidthMbps < leastVideoMbps
    return acceptsVp8 === true && isAutoQualityEnabled && encodingFormat === imageFormat.Jpeg && !isNarrow
  }

  /** True if still areas may be sharpened while others change. */
  isLight(sentMbps: number): boolean {
    return sentMbps < this.#lightMbps
  }

  /** Returns whether the connection has room to send moving areas in sharp quality too. */
  isQuiet(sentMbps: number): boolean {
    return sentMbps <= this.#lightMbps / 2
  }

  get #lightMbps(): number {
    return Math.min(this.settings.autoQualityLowerThresholdMbps, lightMbps)
  }

  /**
   * Adapts the quality to the latency of acknowledgements, to the delay of frames and their use of the link, and to the
   * traffic between the thresholds of the viewer's settings.
   */
  update(sentMbps: number, latencyMs: number | undefined, delay = noDelay, use = noUse): void {
    const { isAutoQualityEnabled, manualQuality, autoQualityMinimum: least, autoQualityMaximum: most } = this.settings
    if (!isAutoQualityEnabled) {
      this.current = manualQuality
      return
    }
    const { autoQualityLowerThresholdMbps: lower, autoQualityUpperThresholdMbps: upper } = this.settings
    const share = clamp((sentMbps - lower) / (upper - lower), 0, 1)
    this.#ceiling = this.#nextCeiling(latencyMs, delay, use, least, most)
    this.current = Math.round(Math.min(this.#ceiling, most - share * (most - least)))
  }

  #nextCeiling(
    latencyMs: number | undefined,
    { totalMs, linkMs }: FrameDelay,
    use: LinkUse,
    least: number,
    most: number,
  ) {
    if (latencyMs === undefined) {
      return this.#ceiling
    }
    // Let the minimum decay: the route to the viewer may have become longer.
    this.#shortestMs = Math.min(this.#shortestMs * 1.01 + 0.1, latencyMs)
    const lateMs = latencyMs - this.#shortestMs
    const ceiling = Math.min(this.#ceiling, most)
    if (lateMs > busyMs) {
      return clamp(ceiling - stepDown, least, most)
    }
    const hasRoom = lateMs < freeMs && use.frameMs < freeMs
    if (totalMs < fastMs && hasRoom) {
      return clamp(ceiling + stepUp, least, most)
    }
    if (totalMs <= slowMs) {
      return ceiling
    }
    const plain = clamp(plainQuality, least, most)
    if (ceiling < plain && linkMs <= slowLinkMs) {
      return hasRoom && use.linkShare < roomyLink && use.windowShare < roomyWindow ? ceiling + 1 : ceiling
    }
    return Math.max(Math.min(ceiling, linkMs > slowLinkMs ? least : plain), ceiling - stepUp)
  }
}
