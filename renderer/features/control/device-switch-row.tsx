import { Switch } from '@mantine/core'
import * as t from '../../texts.ts'
import type { ControlSession } from './control-session.ts'
import { switchedOff, type DeviceSwitch, type SwitchName } from './device-switch.ts'

interface DeviceSwitchRowProps {
  name: SwitchName
  session: ControlSession | undefined
  switches: Record<SwitchName, DeviceSwitch> | undefined
  isDisabled: boolean
  /** Reason why this page cannot use it. */
  obstacle?: string | undefined
}

/** Switch of a state at the device, with the reason of the device. */
export function DeviceSwitchRow({ name, session, switches, isDisabled, obstacle }: DeviceSwitchRowProps) {
  const { state, reason } = switches?.[name] ?? switchedOff
  const texts = t.control.switches[name]
  return (
    <Switch
      label={texts.label}
      description={obstacle ?? (reason || texts[state])}
      checked={state === 'on'}
      disabled={isDisabled || obstacle !== undefined || state === 'asked' || state === 'unavailable'}
      onChange={({ currentTarget }) => session?.toggle(name, currentTarget.checked)}
    />
  )
}
