import { IconPlugConnectedX } from '@tabler/icons-react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import * as t from '../texts.ts'
import { deviceAddress } from './device-tabs.ts'
import { EmptyState } from './empty-state.tsx'
import { ButtonLink } from './links.tsx'
import { statusText } from './status.tsx'

interface DeviceOfflineProps {
  device: DeviceResponseDto
  hint: string
}

/** Instead of what only an online device has: since when it is offline, and the way to the reason and what to try. */
export const DeviceOffline = ({ device, hint }: DeviceOfflineProps) => (
  <EmptyState icon={IconPlugConnectedX} title={statusText(device)} hint={hint}>
    <ButtonLink variant="default" to={deviceAddress(device.id)}>
      {t.common.whyOffline}
    </ButtonLink>
  </EmptyState>
)
