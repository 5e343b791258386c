import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import { defaultCaptureSettings } from '../../../shared/remote-control/viewer.ts'

/** Quality of what is sent again once it stands still, where the device chooses: letters look as on the screen. */
const sharpQuality = 90
/** Bytes that wait on a slow line longer than this make a picture late; below the other one the line is free. */
const busyMs = 120
const freeMs = 50
const stepDown = 8
const stepUp = 3

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
const orDefault = (value: number, isUsable: boolean, standard: number) => (isUsable ? value : standard)

/** What a viewer asked for, brought into the range where it makes sense. */
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

/** How well pictures are encoded: as set, or as the line permits. */
export class Quality {
  settings = defaultCaptureSettings
  /** Of what moves, 1 to 100. */
  current = defaultCaptureSettings.manualQuality
  #ceiling = 100
  #shortestMs = Number.POSITIVE_INFINITY

  apply(asked: CaptureSettingsDto): void {
    this.settings = clampSettings(asked)
    this.#ceiling = 100
    this.update(0, undefined)
  }

  /** Of what stands still. */
  get sharp(): number {
    const { isAutoQualityEnabled, autoQualityMaximum, manualQuality } = this.settings
    return isAutoQualityEnabled ? Math.max(autoQualityMaximum, sharpQuality) : manualQuality
  }

  /** Nothing else uses the line: what changes may be sent as well as what stands still. */
  isQuiet(sentMbps: number): boolean {
    return sentMbps <= this.settings.autoQualityLowerThresholdMbps / 2
  }

  /** Falls with the traffic, and with the time that acks are late. */
  update(sentMbps: number, latencyMs: number | undefined): void {
    const { isAutoQualityEnabled, manualQuality, autoQualityMinimum: least, autoQualityMaximum: most } = this.settings
    if (!isAutoQualityEnabled) {
      this.current = manualQuality
      return
    }
    const { autoQualityLowerThresholdMbps: lower, autoQualityUpperThresholdMbps: upper } = this.settings
    const share = clamp((sentMbps - lower) / (upper - lower), 0, 1)
    this.#follow(latencyMs, least, most)
    this.current = Math.round(Math.min(this.#ceiling, most - share * (most - least)))
  }

  #follow(latencyMs: number | undefined, least: number, most: number) {
    if (latencyMs === undefined) {
      return
    }
    // Forgets slowly: the way to the viewer may have become longer.
    this.#shortestMs = Math.min(this.#shortestMs * 1.01 + 0.1, latencyMs)
    const lateMs = latencyMs - this.#shortestMs
    const change = lateMs > busyMs ? -stepDown : lateMs < freeMs ? stepUp : 0
    this.#ceiling = clamp(Math.min(this.#ceiling, most) + change, least, most)
  }
}
