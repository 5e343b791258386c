import { Button, Menu, type ButtonProps } from '@mantine/core'
import {
  IconBolt,
  IconCloudDownload,
  IconDots,
  IconExternalLink,
  IconPencil,
  IconPlugOff,
  IconPower,
  IconRefresh,
  IconRotateClockwise,
  IconTrash,
  type Icon,
} from '@tabler/icons-react'
import { useRef } from 'react'
import { Link } from 'react-router'
import { deviceAddress, deviceTabs, quickTabs } from '../../../components/device-tabs.ts'
import { hasWindows, openOwnWindow } from '../../../components/own-window.ts'
import { useDeviceAgent } from '../../../hooks/use-device-agent.ts'
import { en as t } from '../../../strings/en.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { useWakeObstacle } from '../../../hooks/use-wake-obstacle.ts'
import { useVisit } from '../visit.ts'
import type { ConfirmedAction } from './confirm-action.tsx'
import classes from './head.module.css'

/** Action of the head, as a button or as a menu entry if there is no room. */
interface Action {
  key: string
  label: string
  icon: Icon
  /** Link target, for actions that open a page. */
  to?: string
  run?: () => void
  /** Reason why the action is disabled. */
  obstacle?: string | undefined
  isDangerous?: boolean
}

interface DeviceActionsProps {
  /** Number of buttons that fit beside "More". */
  room: number
  onConfirm: (action: ConfirmedAction) => void
  onRename: () => void
  onDelete: () => void
}

/** Actions that the user may run on this device, the most used first. */
function useDeviceActions({ onConfirm, onRename, onDelete }: Omit<DeviceActionsProps, 'room'>) {
  const { device, can } = usePageDevice()
  const { act } = useVisit()
  const agent = useDeviceAgent(device)
  const mayWake = !device.isOnline && can('device.wake.send')
  const offline = device.isOnline ? undefined : t.visit.needsOnline
  const when = (isThere: boolean, action: Action) => (isThere ? [action] : [])
  const wake: Action = {
    key: 'wake',
    label: t.visit.wake,
    icon: IconBolt,
    run: () => act('wake'),
    obstacle: useWakeObstacle(device, can('device.wake.send')),
  }
  const first: Action[] = [
    ...when(mayWake, wake),
    ...quickTabs
      .filter((name) => can(deviceTabs[name].permission))
      .map((name) => ({
        key: name,
        label: deviceTabs[name].label,
        icon: deviceTabs[name].icon,
        to: deviceAddress(device.id, name),
      })),
    ...when(device.isOnline && can('device.wake.send'), wake),
    ...when(can('device.power.manage'), {
      key: 'restart',
      label: t.visit.restart,
      icon: IconRotateClockwise,
      run: () => onConfirm('restart'),
      obstacle: offline,
    }),
  ]
  const more: Action[] = [
    ...when(can('device.power.manage'), {
      key: 'shutdown',
      label: t.visit.shutdown,
      icon: IconPower,
      run: () => onConfirm('shutdown'),
      obstacle: offline,
    }),
    { key: 'refresh', label: t.device.refresh, icon: IconRefresh, run: () => act('refresh'), obstacle: offline },
    ...when(can('device.agent.update'), {
      key: 'update',
      label: t.visit.update,
      icon: IconCloudDownload,
      run: () => act('update'),
      obstacle: offline ?? (agent?.isUpdatable === false ? t.visit.otherMake : undefined),
    }),
    ...when(can('device.alias.write'), { key: 'rename', label: t.visit.rename, icon: IconPencil, run: onRename }),
    {
      key: 'window',
      label: hasWindows ? t.visit.ownWindow : t.visit.newTab,
      icon: IconExternalLink,
      run: () => openOwnWindow(device.id),
    },
  ]
  const dangerous: Action[] = [
    ...when(can('device.delete'), {
      key: 'uninstall',
      label: t.visit.uninstall,
      icon: IconPlugOff,
      run: () => onConfirm('uninstall'),
      obstacle: offline,
      isDangerous: true,
    }),
    ...when(can('device.delete'), {
      key: 'delete',
      label: t.common.delete,
      icon: IconTrash,
      run: onDelete,
      isDangerous: true,
    }),
  ]
  return { first, more, dangerous }
}

const ActionButton = ({ action, variant }: { action: Action; variant: NonNullable<ButtonProps['variant']> }) => {
  const { label, icon: Icon, to, run } = action
  const look = { variant, leftSection: <Icon size={16} stroke={1.6} />, px: 'sm' }
  return to ? (
    <Button {...look} component={Link} to={to}>
      {label}
    </Button>
  ) : (
    <Button {...look} onClick={run}>
      {label}
    </Button>
  )
}

/** Menu entry. `choose` receives the action, which runs after the menu has closed and restored the focus. */
const entryOf =
  (choose: (run: (() => void) | undefined) => void) =>
  ({ key, label, icon: Icon, to, run, obstacle, isDangerous }: Action) => {
    const look = {
      leftSection: <Icon size={16} stroke={1.6} />,
      disabled: obstacle !== undefined,
      ...(isDangerous && { color: 'var(--danger)' }),
    }
    const text = (
      <>
        {label}
        {obstacle && <span className={classes.itemHint}>{obstacle}</span>}
      </>
    )
    return to ? (
      <Menu.Item key={key} {...look} component={Link} to={to}>
        {text}
      </Menu.Item>
    ) : (
      <Menu.Item key={key} {...look} onClick={() => choose(run)}>
        {text}
      </Menu.Item>
    )
  }

/** Actions of the device page: enabled ones as buttons while there is room, the rest under "More". */
export function DeviceActions({ room, ...asks }: DeviceActionsProps) {
  const { first, more, dangerous } = useDeviceActions(asks)
  const buttons = first.filter(({ obstacle }) => obstacle === undefined).slice(0, Math.max(0, room))
  const chosen = useRef<() => void>(undefined)
  const entry = entryOf((run) => void (chosen.current = run))
  const handleGone = () => {
    chosen.current?.()
    chosen.current = undefined
  }
  const collapsed = first.filter((action) => !buttons.includes(action))
  return (
    <div className={classes.actions} role="group" aria-label={t.visit.actions}>
      {buttons.map((action, index) => (
        <ActionButton key={action.key} action={action} variant={index === 0 ? 'filled' : 'default'} />
      ))}
      <Menu width={240} position="bottom-end" transitionProps={{ duration: 120, onExited: handleGone }}>
        <Menu.Target>
          <Button variant="default" px="sm" leftSection={<IconDots size={16} stroke={1.6} />}>
            {t.visit.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {collapsed.map(entry)}
          {collapsed.length > 0 && <Menu.Divider />}
          {more.map(entry)}
          {dangerous.length > 0 && <Menu.Divider />}
          {dangerous.map(entry)}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
