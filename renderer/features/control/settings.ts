import { anyTraffic, defaultCaptureSettings } from '../../../shared/remote-control/viewer.ts'
import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import { keyboardInputMode, type ImageFormat, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import { usePreference } from '../../styles/preferences.ts'
import type { Edge } from '../viewer-kit/edges.ts'
import type { SizeMode, Smoothing } from './placement.ts'

/** Settings of a user for one device; stored in this browser. */
export interface ControlSettings {
  /** Chosen last: to watch, or to control. */
  isViewOnly: boolean
  mode: SizeMode
  zoom: number
  smoothing: Smoothing
  showsFigures: boolean
  keyboard: KeyboardInputMode
  sharesClipboard: boolean
  edge: Edge
  /** Position of the toolbar's center along the edge, 0 to 1. */
  along: number
  isPinned: boolean
  isAutomatic: boolean
  quality: number
  isLimited: boolean
  limitMbps: number
  format: ImageFormat
  needsConsent: boolean
  showsPointer: boolean
  followsPointer: boolean
}

export const firstSettings: ControlSettings = {
  isViewOnly: false,
  mode: 'fit',
  zoom: 1,
  smoothing: 'auto',
  showsFigures: false,
  keyboard: keyboardInputMode.Auto,
  sharesClipboard: true,
  edge: 'top',
  along: 0.5,
  isPinned: true,
  isAutomatic: true,
  quality: defaultCaptureSettings.manualQuality,
  isLimited: false,
  limitMbps: defaultCaptureSettings.maxBandwidthMbps,
  format: defaultCaptureSettings.encodingFormat,
  needsConsent: false,
  showsPointer: defaultCaptureSettings.captureCursor,
  followsPointer: false,
}

export type ChangeSettings = (changes: Partial<ControlSettings>) => void

export function useControlSettings(deviceId: string): [ControlSettings, ChangeSettings] {
  const [stored, store] = usePreference<Partial<ControlSettings>>(`control.${deviceId}`, {})
  return [{ ...firstSettings, ...stored }, (changes) => store((before) => ({ ...before, ...changes }))]
}

/** Bandwidth while the picture is hidden: enough to show that the session is alive. */
const hiddenMbps = 0.2

/** Capture settings for the device; with little bandwidth while the picture is hidden. */
export function captureOf(settings: ControlSettings, isSeen: boolean): CaptureSettingsDto {
  const { isAutomatic, quality, isLimited, limitMbps, format, showsPointer } = settings
  return {
    ...defaultCaptureSettings,
    ...anyTraffic,
    captureCursor: showsPointer,
    isAutoQualityEnabled: isAutomatic,
    manualQuality: quality,
    isMaxBandwidthEnabled: isLimited || !isSeen,
    maxBandwidthMbps: isSeen ? limitMbps : Math.min(limitMbps, hiddenMbps),
    encodingFormat: format,
  }
}
