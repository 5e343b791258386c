import { z } from 'zod'
import { dto, numberEnum } from '../contract/fields.ts'
import { isVisibleName } from '../person-name.ts'
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

/** Shown to the user of a device when a viewer connects. */
const displayName = plainText(
  z
    .string()
    .trim()
    .max(50, { abort: true })
    .regex(/^[\u200d\u200c\u180e\p{L}\p{M}\p{N} _-]*$/u, 'may hold letters, digits, spaces, "_" and "-"')
    .refine((name) => name === '' || isVisibleName(name), 'may not be invisible or hold invisible characters'),
)

/** Preferences of a user, with their defaults. */
export const userPreferenceTable = {
  autoQualityLowerThresholdMbps: setting(
    'auto-quality-lower-threshold-mbps',
    bandwidth,
    5,
    'Mbit/s below which automatic quality lowers the picture; at least 0.1.',
  ),
  autoQualityMaximum: setting(
    'auto-quality-maximum',
    between(2, 100),
    80,
    'Best JPEG quality that automatic quality chooses, 2 to 100.',
  ),
  autoQualityMinimum: setting(
    'auto-quality-minimum',
    between(1, 99),
    20,
    'Worst JPEG quality that automatic quality chooses, 1 to 99.',
  ),
  autoQualityUpperThresholdMbps: setting(
    'auto-quality-upper-threshold-mbps',
    bandwidth,
    15,
    'Mbit/s above which automatic quality improves the picture; at least 0.1.',
  ),
  captureCursor: setting('capture-cursor', flag, false, 'Whether the picture shows the pointer of the device.'),
  enableDirectX: setting(
    'enable-directx',
    flag,
    true,
    'Whether Windows devices capture the screen by DirectX where they can.',
  ),
  encodingFormat: setting('encoding-format', encodingFormat, encodingFormats.Jpeg, 'How pictures are encoded.'),
  hideOfflineDevices: setting(
    'hide-offline-devices',
    flag,
    true,
    'Whether device lists start without offline devices.',
  ),
  includeUntaggedDevices: setting(
    'include-untagged-devices',
    flag,
    false,
    'Whether a filter by tags also lists devices without a tag.',
  ),
  isAutoQualityEnabled: setting(
    'is-auto-quality-enabled',
    flag,
    false,
    'Whether the picture quality follows the bandwidth; otherwise `manualQuality` counts.',
  ),
  isMaxBandwidthEnabled: setting(
    'is-max-bandwidth-enabled',
    flag,
    false,
    'Whether `maxBandwidthMbps` limits the pictures.',
  ),
  keyboardInputMode: setting(
    'keyboard-input-mode',
    keyboardInputMode,
    keyboardInputModes.Auto,
    'How keys are sent: `Physical` by position, `Virtual` by the character they type, `Auto` whichever fits.',
  ),
  manualQuality: setting('manual-quality', between(1, 100), 75, 'JPEG quality without automatic quality, 1 to 100.'),
  maxBandwidthMbps: setting('max-bandwidth-mbps', bandwidth, 15, 'Mbit/s that pictures may take; at least 0.1.'),
  notifyUserOnSessionStart: setting(
    'notify-user-on-session-start',
    flag,
    true,
    'Whether the person at a device is told when the user starts a session; a tenant setting overrides it.',
  ),
  openDeviceInNewTab: setting(
    'open-device-in-new-tab',
    flag,
    true,
    'Whether a device opens in a new tab of the browser.',
  ),
  themeMode: setting('theme-mode', themeMode, themeModes.Dark, 'Colors of the page; `Auto` follows the system.'),
  userDisplayName: setting(
    'user-display-name',
    displayName,
    '',
    'Name shown to people at devices: at most 50 letters, digits, spaces, `_` and `-`; empty: the user name.',
  ),
  viewMode: setting('view-mode', viewMode, viewModes.Fit, 'How a remote screen is fitted into the window.'),
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

export const EffectiveUserPreferencesDto = dto('EffectiveUserPreferencesDto', {
  notifyUserOnSessionStart: z
    .boolean()
    .describe('Whether the person at a device is told when the caller starts a session.'),
  isNotifyUserOnSessionStartTenantEnforced: z
    .boolean()
    .describe('The tenant has decided; the choice of the user does not count.'),
})
export type EffectiveUserPreferencesDto = z.output<typeof EffectiveUserPreferencesDto>
