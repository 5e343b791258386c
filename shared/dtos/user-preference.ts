import { z } from 'zod'
import { numberEnum } from '../contract/fields.ts'
import {
  choice,
  flag,
  numeric,
  plainText,
  setting,
  typedSettings,
  typedSettingsRequest,
} from '../contract/named-settings.ts'

const encodingFormats = { Jpeg: 0, Png: 1, WebP: 2 } as const
const keyboardInputModes = { Auto: 0, Physical: 1, Virtual: 2 } as const
const themeModes = { Auto: 0, Light: 1, Dark: 2 } as const
const viewModes = { Fit: 0, Stretch: 1, Scale: 2 } as const

const encodingFormat = choice(numberEnum('EncodingFormat', encodingFormats), encodingFormats)
const keyboardInputMode = choice(numberEnum('KeyboardInputMode', keyboardInputModes), keyboardInputModes)
const themeMode = choice(numberEnum('ThemeMode', themeModes), themeModes)
const viewMode = choice(numberEnum('ViewMode', viewModes), viewModes)

const between = (min: number, max: number) => numeric(z.number().int().min(min).max(max))
const bandwidth = numeric(z.number().min(0.1))

/** Shown to the person at a device when somebody connects. */
const displayName = plainText(
  z
    .string()
    .trim()
    .max(50)
    .regex(/^[\p{L}\p{M}\p{N} _-]*$/u, 'may hold letters, digits, spaces, "_" and "-"'),
)

/** What a person may choose for themselves, with the value while they have not. */
export const userPreferenceTable = {
  autoQualityLowerThresholdMbps: setting('auto-quality-lower-threshold-mbps', bandwidth, 5),
  autoQualityMaximum: setting('auto-quality-maximum', between(2, 100), 80),
  autoQualityMinimum: setting('auto-quality-minimum', between(1, 99), 20),
  autoQualityUpperThresholdMbps: setting('auto-quality-upper-threshold-mbps', bandwidth, 15),
  captureCursor: setting('capture-cursor', flag, false),
  enableDirectX: setting('enable-directx', flag, true),
  encodingFormat: setting('encoding-format', encodingFormat, encodingFormats.Jpeg),
  hideOfflineDevices: setting('hide-offline-devices', flag, true),
  includeUntaggedDevices: setting('include-untagged-devices', flag, false),
  isAutoQualityEnabled: setting('is-auto-quality-enabled', flag, false),
  isMaxBandwidthEnabled: setting('is-max-bandwidth-enabled', flag, false),
  keyboardInputMode: setting('keyboard-input-mode', keyboardInputMode, keyboardInputModes.Auto),
  manualQuality: setting('manual-quality', between(1, 100), 75),
  maxBandwidthMbps: setting('max-bandwidth-mbps', bandwidth, 15),
  notifyUserOnSessionStart: setting('notify-user-on-session-start', flag, true),
  openDeviceInNewTab: setting('open-device-in-new-tab', flag, true),
  themeMode: setting('theme-mode', themeMode, themeModes.Dark),
  userDisplayName: setting('user-display-name', displayName, ''),
  viewMode: setting('view-mode', viewMode, viewModes.Fit),
}

export const UserPreferencesDto = typedSettings(userPreferenceTable).meta({ id: 'UserPreferencesDto' })
export type UserPreferencesDto = z.output<typeof UserPreferencesDto>

export const UserPreferencesRequestDto = typedSettingsRequest(userPreferenceTable).meta({
  id: 'UserPreferencesRequestDto',
  description:
    'Replaces all preferences. A member that is missing or null becomes false, the first choice or an empty text; a ' +
    'number, for which 0 is not allowed, gets its default.',
})
export type UserPreferencesRequestDto = z.output<typeof UserPreferencesRequestDto>

export const EffectiveUserPreferencesDto = z
  .object({
    notifyUserOnSessionStart: z.boolean(),
    isNotifyUserOnSessionStartTenantEnforced: z
      .boolean()
      .meta({ description: 'The tenant has decided; the choice of the user does not count.' }),
  })
  .meta({ id: 'EffectiveUserPreferencesDto' })
export type EffectiveUserPreferencesDto = z.output<typeof EffectiveUserPreferencesDto>
