import type { Payload } from '../../../shared/remote-control/messages.ts'

/** State at the device that this page switches, as the device confirms it. */
export interface DeviceSwitch {
  /** `asked` until the device answers. */
  state: 'off' | 'asked' | 'on' | 'failed' | 'unavailable'
  /** Reason of the device, why the state is not the requested one. */
  reason: string
}

export type SwitchName = 'inputBlock' | 'privacyScreen' | 'sound'

export const switchedOff: DeviceSwitch = { state: 'off', reason: '' }

/** State after an answer of the device, or after the device reports that the state has ended. */
export const confirmed = ({ isSuccess, finalState, reason = '' }: Payload<'BlockInputResult'>): DeviceSwitch => ({
  state: finalState ? 'on' : isSuccess ? 'off' : 'failed',
  reason,
})

/** State by the device's obstacle, which only replaces one that was never confirmed. */
export const offered = (obstacle: string | null, current: DeviceSwitch): DeviceSwitch =>
  obstacle !== null
    ? { state: 'unavailable', reason: obstacle }
    : current.state === 'unavailable'
      ? switchedOff
      : current
