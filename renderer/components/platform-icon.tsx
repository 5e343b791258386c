import {
  IconBrandAndroid,
  IconBrandApple,
  IconBrandDebian,
  IconBrandUbuntu,
  IconBrandWindows,
  IconDeviceDesktop,
  IconTerminal2,
} from '@tabler/icons-react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import * as t from '../texts.ts'

function iconOf({ platform, osDescription }: Pick<DeviceResponseDto, 'platform' | 'osDescription'>) {
  switch (platform) {
    case 1:
      return IconBrandWindows
    case 2:
      return /ubuntu/i.test(osDescription)
        ? IconBrandUbuntu
        : /debian/i.test(osDescription)
          ? IconBrandDebian
          : IconTerminal2
    case 3:
    case 4:
    case 6:
      return IconBrandApple
    case 5:
      return IconBrandAndroid
    default:
      return IconDeviceDesktop
  }
}

/** Icon of the operating system; the tooltip shows the version. */
export function PlatformIcon({ device }: { device: Pick<DeviceResponseDto, 'platform' | 'osDescription'> }) {
  const Icon = iconOf(device)
  const label = device.osDescription || t.common.unknown
  return (
    <span role="img" aria-label={label} title={label} style={{ display: 'inline-flex', color: 'var(--text-muted)' }}>
      <Icon size={18} stroke={1.6} aria-hidden />
    </span>
  )
}
