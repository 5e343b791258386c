import { defaultCaptureSettings } from '../../../shared/remote-control/viewer.ts'
import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import { keyboardInputMode, type ImageFormat, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import { usePreference } from '../../styles/preferences.ts'
import type { SizeMode, Smoothing } from './placement.ts'

export const edges = ['top', 'right', 'bottom', 'left'] as const
export type Edge = (typeof edges)[number]

/** What a person has chosen for one device; kept in this browser. */
export interface ControlSettings {
  mode: SizeMode
  zoom: number
  smoothing: Smoothing
  showsFigures: boolean
  keyboard: KeyboardInputMode
  sharesClipboard: boolean
  edge: Edge
  /** Where along the edge the middle of the toolbar is, 0 to 1. */
  along: number
  isPinned: boolean
  isAutomatic: boolean
  quality: number
  isLimited: boolean
  limitMbps: number
  format: ImageFormat
  needsConsent: boolean
  showsPointer: boolean
}

export const firstSettings: ControlSettings = {
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
}

export type ChangeSettings = (changes: Partial<ControlSettings>) => void

export function useControlSettings(deviceId: string): [ControlSettings, ChangeSettings] {
  const [stored, store] = usePreference<Partial<ControlSettings>>(`control.${deviceId}`, {})
  return [{ ...firstSettings, ...stored }, (changes) => store((before) => ({ ...before, ...changes }))]
}

/** Nobody looks: enough to notice that something goes on. */
const hiddenMbps = 0.2

/** What the device is told. While nobody sees the picture, it is asked for little. */
export function captureOf(settings: ControlSettings, isSeen: boolean): CaptureSettingsDto {
  const { isAutomatic, quality, isLimited, limitMbps, format, showsPointer } = settings
  return {
    ...defaultCaptureSettings,
    captureCursor: showsPointer,
    isAutoQualityEnabled: isAutomatic,
    manualQuality: quality,
    isMaxBandwidthEnabled: isLimited || !isSeen,
    maxBandwidthMbps: isSeen ? limitMbps : Math.min(limitMbps, hiddenMbps),
    encodingFormat: format,
  }
}
