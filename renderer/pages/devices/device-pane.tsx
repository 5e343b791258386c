import { Group, Skeleton, Stack } from '@mantine/core'
import { IconArrowsDiagonal, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ButtonLink } from '../../components/links.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { statusOf } from '../../api/http.ts'
import { DisksSection, FactsSection, LoadSection, NetworkSection } from '../../components/device-facts.tsx'
import { DeviceActionButton } from './device-action-button.tsx'
import { byAddress, deviceActions, permittedActions } from '../../components/device-actions.ts'
import { DeviceHead } from './device-head.tsx'
import { deviceAddress, quickTabs } from '../../components/device-tabs.ts'
import { PaneFrame } from '../../components/pane-frame.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useDevice, useDeviceAccess } from '../../hooks/use-device.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { useWakeObstacle } from './use-wake-obstacle.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import classes from './devices-page.module.css'

/** Details beside the list. */
export function DevicePane({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const { data: device, error, isPending, refetch } = useDevice(deviceId)
  const can = useDeviceAccess(deviceId)
  const navigate = useNavigate()
  const [isRenaming, setIsRenaming] = useState(false)
  const isLate = useIsLate(isPending)
  const wakeObstacle = useWakeObstacle(device, can('device.wake.send'))
  const canWake = wakeObstacle === undefined
  const context = (device: DeviceResponseDto) => ({ device, can, ...byAddress(device, navigate) })
  const isGone = statusOf(error) === 404
  return (
    <PaneFrame label={t.device.details(device ? nameOfDevice(device) : '')}>
      <Group wrap="nowrap" gap={8} align="flex-start" mb={12}>
        {device && !isGone ? (
          <DeviceHead
            device={device}
            canRename={can('device.alias.write')}
            isRenaming={isRenaming}
            onRename={setIsRenaming}
          />
        ) : (
          <div style={{ flex: 1 }} />
        )}
        <IconButton label={t.lists.closePane} icon={<IconX size={18} stroke={1.6} />} onClick={onClose} />
      </Group>
      {isLate && <Skeleton height={240} />}
      {error && (
        <ProblemAlert
          error={error}
          title={isGone ? (device ? t.device.accessEnded(nameOfDevice(device)) : t.device.notFound) : undefined}
          onRetry={() => void refetch()}
        />
      )}
      {device && !isGone && (
        <>
          <Group gap="xs" className={classes.actions!}>
            {canWake && <DeviceActionButton action={deviceActions.wake} context={context(device)} variant="filled" />}
            {permittedActions(quickTabs, can).map((action, index) => (
              <DeviceActionButton
                key={action.name}
                action={action}
                context={context(device)}
                variant={device.isOnline && index === 0 ? 'filled' : 'default'}
                disabled={!device.isOnline}
              />
            ))}
            <ButtonLink
              to={deviceAddress(device.id)}
              variant={device.isOnline || canWake ? 'default' : 'filled'}
              leftSection={<IconArrowsDiagonal size={16} />}
            >
              {device.isOnline ? t.device.open : t.device.openOffline}
            </ButtonLink>
          </Group>
          {!device.isOnline && (
            <p className="small muted">
              {t.device.needsOnline}{' '}
              {!canWake && wakeObstacle !== t.visit.findingNeighbour && t.device.cannotWake(wakeObstacle)}
            </p>
          )}
          <Stack gap={12} mt={16}>
            <LoadSection device={device} />
            <FactsSection device={device} />
            <DisksSection device={device} />
            <NetworkSection device={device} />
          </Stack>
        </>
      )}
    </PaneFrame>
  )
}
