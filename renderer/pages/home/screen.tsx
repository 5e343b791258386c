import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { beginOf, deviceAddress } from '../../components/device-tabs.ts'
import { desktopsOf } from '../../features/control/desktops.ts'
import { previewOf, usePictureAddress } from '../../features/control/previews.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'
import * as t from '../../texts.ts'
import classes from './home.module.css'

/** Small picture of the device's first desktop, which leads to remote control. */
export function Screen({ device, name }: { device: DeviceResponseDto; name: string }) {
  const isLive = useLiveState().state === 'live'
  const { data: desktops } = useQuery(desktopsOf(device, isLive))
  const desktop = desktops?.find(({ areRemoteControlPermissionsGranted }) => areRemoteControlPermissionsGranted)
  const isShown = isLive && device.isOnline && desktop !== undefined
  const { data: picture } = useQuery(previewOf(device, desktop?.processId ?? 0, isShown))
  const address = usePictureAddress(isShown ? picture : undefined)
  return (
    <Link
      to={deviceAddress(device.id, 'control')}
      state={beginOf('control')}
      className={classes.screen}
      aria-label={t.home.screenOf(name)}
    >
      {address ? <img src={address} alt="" /> : <span className="small muted">{t.home.noScreen}</span>}
    </Link>
  )
}
