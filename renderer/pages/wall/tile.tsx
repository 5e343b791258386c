import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { statusOf } from '../../api/http.ts'
import { beginOf, deviceAddress } from '../../components/device-tabs.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { Status } from '../../components/status.tsx'
import { desktopsOf } from '../../features/control/desktops.ts'
import { livePreviewOf } from '../../features/control/wall-previews.ts'
import { usePictureAddress } from '../../features/control/previews.ts'
import { useDevice, useDeviceAccess } from '../../hooks/use-device.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './wall.module.css'

/** Picture of the first desktop that can be shown. */
function Picture({ device, name }: { device: DeviceResponseDto; name: string }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>()
  const isLive = useLiveState().state === 'live'
  const isShown = inViewport && isLive && device.isOnline
  const { data: desktops } = useQuery(desktopsOf(device, isShown))
  const showable = (desktops ?? []).filter(({ areRemoteControlPermissionsGranted: isGranted }) => isGranted)
  const [desktop] = showable
  const { data, error } = useQuery(livePreviewOf(device, desktop?.processId ?? 0, isShown && desktop !== undefined))
  const address = usePictureAddress(device.isOnline ? data : undefined)
  const reason = error
    ? `${t.control.previewFailed}: ${problemText(error)}`
    : device.isOnline && desktops && !desktop
      ? t.wall.noDesktop
      : device.isOnline
        ? t.wall.waiting
        : ''
  return (
    <div ref={ref} className={classes.picture}>
      {address ? <img src={address} alt={t.wall.picture(name)} data-old={error ? true : undefined} /> : null}
      {(!address || error) && <span className={classes.reason}>{reason}</span>}
      {showable.length > 1 && <span className={classes.count}>{t.wall.desktops(showable.length)}</span>}
    </div>
  )
}

/** Screen of one device, which a click takes over. */
export function Tile({ deviceId }: { deviceId: string }) {
  const { data: device, error } = useDevice(deviceId)
  const can = useDeviceAccess(deviceId)
  if (!device) {
    return statusOf(error) === 404 ? <li className={classes.tile}>{t.wall.gone}</li> : <li className={classes.tile} />
  }
  const name = nameOfDevice(device)
  const mayControl = can('device.remote-control.connect')
  const picture = can('device.desktop-preview.read') ? (
    <Picture device={device} name={name} />
  ) : (
    <div className={classes.picture}>
      <span className={classes.reason}>{t.wall.noRight}</span>
    </div>
  )
  return (
    <li className={classes.tile}>
      {mayControl && device.isOnline ? (
        <Link to={deviceAddress(device.id, 'control')} state={beginOf('control')} aria-label={t.wall.take(name)}>
          {picture}
        </Link>
      ) : (
        picture
      )}
      <div className={classes.foot}>
        <Link to={deviceAddress(device.id)} className="truncate">
          <bdi>{name}</bdi>
        </Link>
        <span className="muted truncate">{device.currentUsers.map((user) => visibleName(user)).join(', ')}</span>
        <Status {...device} />
      </div>
    </li>
  )
}
