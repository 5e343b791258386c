import { Group, Switch } from '@mantine/core'
import { Link } from 'react-router'
import { TextLink } from '../../components/links.tsx'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { beginOf, deviceAddress, deviceTabs, quickTabs } from '../../components/device-tabs.ts'
import { PlatformIcon } from '../../components/platform-icon.tsx'
import { Status } from '../../components/status.tsx'
import { useDeviceAccess } from '../../hooks/use-device.ts'
import { useSession } from '../../hooks/use-session.ts'
import { usePreference } from '../../styles/preferences.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './home.module.css'
import { useRecent } from './use-home.ts'
import { useQuery } from '@tanstack/react-query'
import { desktopsOf } from '../../features/control/desktops.ts'
import { previewOf, usePictureAddress } from '../../features/control/previews.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'

/** Small picture of the device's first desktop, which leads to remote control. */
function Screen({ device, name }: { device: DeviceResponseDto; name: string }) {
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

function DeviceCard({ device, withScreen }: { device: DeviceResponseDto; withScreen: boolean }) {
  const can = useDeviceAccess(device.id)
  const name = nameOfDevice(device)
  const tabs = quickTabs.filter((tab) => can(deviceTabs[tab].permission))
  return (
    <li className={classes.card}>
      {withScreen && can('device.desktop-preview.read') && can('device.remote-control.connect') && (
        <Screen device={device} name={name} />
      )}
      <Group gap={8} wrap="nowrap" miw={0}>
        <PlatformIcon device={device} />
        <TextLink to={deviceAddress(device.id)} className="truncate">
          <bdi>{name}</bdi>
        </TextLink>
      </Group>
      <div className="small truncate">
        <Status {...device} />
      </div>
      <div className="small muted truncate">
        <bdi>{visibleName(device.customerName ?? t.home.noCustomer)}</bdi>
      </div>
      <div className={classes.cardTabs}>
        {tabs.map((tab) => {
          const { icon: Icon, label } = deviceTabs[tab]
          return (
            <Link
              key={tab}
              to={deviceAddress(device.id, tab)}
              state={beginOf(tab)}
              className={classes.cardTab}
              aria-label={t.home.openOn(label, name)}
              title={label}
            >
              <Icon size={18} stroke={1.6} aria-hidden />
            </Link>
          )
        })}
      </div>
    </li>
  )
}

/** Devices that the person opened last in this browser; their screens on request, so that nobody is watched unasked. */
export function RecentDevices() {
  const { can } = useSession()
  const { devices } = useRecent()
  const [withScreens, setWithScreens] = usePreference('home-screens', false)
  return (
    devices.length > 0 && (
      <section className={classes.section} aria-labelledby="home-recent">
        <Group gap="8px 16px" justify="space-between">
          <h2 id="home-recent">{t.home.recent}</h2>
          {can('device.desktop-preview.read') && (
            <Switch
              size="xs"
              label={t.home.screens}
              title={t.home.screensHint}
              checked={withScreens}
              onChange={(event) => setWithScreens(event.currentTarget.checked)}
            />
          )}
        </Group>
        <ul className={classes.cards}>
          {devices.map((device) => (
            <DeviceCard key={device.id} device={device} withScreen={withScreens} />
          ))}
        </ul>
      </section>
    )
  )
}
