import { ActionIcon, Anchor, Button, Skeleton, Tabs, Tooltip } from '@mantine/core'
import { IconChevronLeft, IconDeviceDesktopOff, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Outlet, useLocation, useNavigate, useOutletContext, useParams } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { statusOf } from '../../api/http.ts'
import { viewer } from '../../api/hubs.ts'
import { DeleteDevices } from '../../components/delete-devices.tsx'
import { DeviceHead } from '../../components/device-head.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useDevice } from '../../hooks/use-device.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../session.tsx'
import { en as t } from '../../strings/en.ts'
import classes from './device-page.module.css'

/** The device of the page, for its tabs. */
export const usePageDevice = () => useOutletContext<DeviceResponseDto>()

function RefreshButton({ device }: { device: DeviceResponseDto }) {
  const refresh = useMutation({
    mutationFn: async () => {
      const { isSuccess, reason } = await viewer.RefreshDeviceInfo2({ deviceId: device.id })
      if (!isSuccess) {
        throw new Error(reason ?? t.device.refreshFailed)
      }
    },
  })
  const hint = device.isOnline
    ? refresh.error
      ? t.device.refreshFailed
      : t.device.refreshHint
    : t.device.refreshOffline
  return (
    <Tooltip label={hint} color={refresh.error ? 'red' : undefined}>
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} stroke={1.6} />}
        data-disabled={!device.isOnline || undefined}
        aria-disabled={!device.isOnline}
        loading={refresh.isPending}
        onClick={() => device.isOnline && refresh.mutate()}
      >
        {t.device.refresh}
      </Button>
    </Tooltip>
  )
}

/** Head and tabs of one device; the tabs are child routes. */
export function Component() {
  const { deviceId = '' } = useParams()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { can } = useSession()
  const { data: device, error, isPending, refetch } = useDevice(deviceId)
  const [isDeleting, setIsDeleting] = useState(false)
  const isLate = useIsLate(isPending)
  usePageTitle(device?.name ?? t.devices.title)

  if (statusOf(error) === 404 || statusOf(error) === 400) {
    return (
      <EmptyState icon={IconDeviceDesktopOff} title={t.device.notFound} hint={t.device.notFoundHint}>
        <Button component={Link} to="/devices">
          {t.notFound.home}
        </Button>
      </EmptyState>
    )
  }
  if (!device) {
    return (
      <div className={classes.head}>
        {error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : isLate && <Skeleton height={56} />}
      </div>
    )
  }
  const tabs = [
    { path: `/devices/${deviceId}`, label: t.device.overview },
    ...(can('device.terminal.use') ? [{ path: `/devices/${deviceId}/terminal`, label: t.device.terminal }] : []),
  ]
  return (
    <Tabs className={classes.page} value={pathname} onChange={(path) => path && void navigate(path)}>
      <header className={classes.head}>
        <Anchor component={Link} to="/devices" className={`${classes.back} small`}>
          <IconChevronLeft size={14} aria-hidden />
          {t.devices.title}
        </Anchor>
        <div className={classes.top}>
          <DeviceHead device={device} isPageTitle />
          <RefreshButton device={device} />
          {can('device.delete') && (
            <Tooltip label={t.common.delete}>
              <ActionIcon variant="default" size={32} aria-label={t.common.delete} onClick={() => setIsDeleting(true)}>
                <IconTrash size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
        <Tabs.List className={classes.tabs} aria-label={device.name}>
          {tabs.map(({ path, label }) => (
            <Tabs.Tab key={path} value={path}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </header>
      <Tabs.Panel value={pathname} className={classes.content}>
        <Outlet context={device} />
      </Tabs.Panel>
      <DeleteDevices
        devices={isDeleting ? [device] : []}
        onClose={() => setIsDeleting(false)}
        onDeleted={(ids) => ids.length > 0 && void navigate('/devices', { replace: true })}
      />
    </Tabs>
  )
}
