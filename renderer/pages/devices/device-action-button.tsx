import { Button } from '@mantine/core'
import { ButtonLink } from '../../components/links.tsx'
import type { DeviceAction, DeviceActionContext } from '../../components/device-actions.ts'
import { beginOf, deviceAddress } from '../../components/device-tabs.ts'

interface DeviceActionButtonProps {
  action: DeviceAction
  context: DeviceActionContext
  variant: 'filled' | 'default'
  disabled?: boolean
}

/** Button of one action; a link where the action opens a tab. */
export function DeviceActionButton({ action, context, variant, disabled = false }: DeviceActionButtonProps) {
  const { label, icon: Icon, tab, run } = action
  const look = { variant, disabled, leftSection: Icon && <Icon size={16} stroke={1.6} />, px: 'sm', children: label }
  return tab && !disabled ? (
    <ButtonLink {...look} to={deviceAddress(context.device.id, tab)} state={beginOf(tab)} />
  ) : (
    <Button {...look} onClick={() => run(context)} />
  )
}
