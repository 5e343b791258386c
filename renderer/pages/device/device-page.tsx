import { ActionIcon, Anchor, Button, Skeleton, Tabs, Tooltip } from '@mantine/core'
import { IconChevronLeft, IconDeviceDesktopOff, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { statusOf } from '../../api/http.ts'
import { viewer } from '../../api/hubs.ts'
import { DeleteDevices } from '../../components/delete-devices.tsx'
import { DeviceHead } from '../../components/device-head.tsx'
import { deviceAddress, deviceTabNames, deviceTabs, type DeviceTabName } from '../../components/device-tabs.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useDevice } from '../../hooks/use-device.ts'
import { useDeviceAccess } from '../../hooks/use-device-access.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { en as t } from '../../strings/en.ts'
import { Component as NotFound } from '../not-found/not-found-page.tsx'
import classes from './device-page.module.css'
import { PageDeviceContext, TabIsShown } from './page-device.ts'
import { panels } from './panels.ts'

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

/** The tabs that were on screen since the page of this device was opened. */
function useOpenedTabs(active: DeviceTabName) {
  const [opened, setOpened] = useState<readonly DeviceTabName[]>([])
  if (!opened.includes(active)) {
    setOpened([...opened, active])
  }
  return opened
}

/** Head and tabs of a device. A tab that was opened stays, hidden, until the page is left. */
function DevicePage({ device, active }: { device: DeviceResponseDto; active: DeviceTabName }) {
  const navigate = useNavigate()
  const can = useDeviceAccess(device.id)
  const opened = useOpenedTabs(active)
  const [isDeleting, setIsDeleting] = useState(false)
  usePageTitle(device.name)
  const permitted = deviceTabNames.filter((name) => can(deviceTabs[name].permission))

  return (
    <PageDeviceContext value={{ device, can }}>
      <Tabs
        className={classes.page}
        value={active}
        // Otherwise React stops the effects of a hidden tab, and with them its session.
        keepMountedMode="display-none"
        onChange={(name) => void navigate(deviceAddress(device.id, name as DeviceTabName))}
      >
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
                <ActionIcon
                  variant="default"
                  size={32}
                  aria-label={t.common.delete}
                  onClick={() => setIsDeleting(true)}
                >
                  <IconTrash size={16} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            )}
          </div>
          <Tabs.List className={classes.tabs} aria-label={device.name}>
            {permitted.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {deviceTabs[name].label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </header>
        {opened.map((name) => {
          const Panel = panels[name]
          return (
            <Tabs.Panel key={name} value={name} className={classes.content}>
              <TabIsShown value={name === active}>
                {permitted.includes(name) ? (
                  <Suspense>
                    <Panel />
                  </Suspense>
                ) : (
                  <p className={classes.refused}>{t.device.tabRefused}</p>
                )}
              </TabIsShown>
            </Tabs.Panel>
          )
        })}
        <DeleteDevices
          devices={isDeleting ? [device] : []}
          onClose={() => setIsDeleting(false)}
          onDeleted={(ids) => ids.length > 0 && void navigate('/devices', { replace: true })}
        />
      </Tabs>
    </PageDeviceContext>
  )
}

/** The page of the device that the address names. */
export function Component() {
  const { deviceId = '', tab = '' } = useParams()
  const { data: device, error, isPending, refetch } = useDevice(deviceId)
  const isLate = useIsLate(isPending)
  const active = deviceTabNames.find((name) => deviceTabs[name].path === tab)

  if (!active) {
    return <NotFound />
  }
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
  return <DevicePage key={deviceId} device={device} active={active} />
}
