import type { Payload } from '../../../shared/remote-control/messages.ts'

/** State at the device that this page switches, as the device confirms it. */
export interface DeviceSwitch {
  /** `asked` until the device answers. */
  state: 'off' | 'asked' | 'on' | 'failed' | 'unavailable'
  /** Reason of the device, why the state is not the requested one. */
  reason: string
}

export type SwitchName = 'inputBlock' | 'privacyScreen'

export const switchedOff: DeviceSwitch = { state: 'off', reason: '' }

/** State after an answer of the device, or after the device reports that the state has ended. */
export const confirmed = ({ isSuccess, finalState, reason = '' }: Payload<'BlockInputResult'>): DeviceSwitch => ({
  state: finalState ? 'on' : isSuccess ? 'off' : 'failed',
  reason,
})

/** State before the first request, from the device's obstacle. */
export const offered = (obstacle: string | null): DeviceSwitch =>
  obstacle === null ? switchedOff : { state: 'unavailable', reason: obstacle }
