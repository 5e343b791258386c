import { Button, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { Fragment, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { DeviceActionButton } from '../device-action-button.tsx'
import {
  byAddress,
  permittedActions,
  type DeviceAction,
  type DeviceActionContext,
  type DeviceActionName,
} from '../../../components/device-actions.ts'
import { beginOf, deviceAddress, quickTabs } from '../../../components/device-tabs.ts'
import { useDeviceAgent } from '../../../hooks/use-device.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { useSession } from '../../../hooks/use-session.ts'
import { useWakeObstacle } from '../use-wake-obstacle.ts'
import * as t from '../../../texts.ts'
import { useDevicePower } from './power-order.tsx'
import classes from './head.module.css'

interface ActionButtonsProps extends Required<Pick<DeviceActionContext, 'ask' | 'rename' | 'remove' | 'orderPower'>> {
  /** How many buttons have room beside "More". */
  room: number
}

interface ActionItemProps {
  action: DeviceAction
  context: DeviceActionContext
  /** Whether the item gets the focus when the menu opens. */
  isFirst: boolean
  /** Receives the action to run after the menu has closed. */
  onChoose: (action: DeviceAction) => void
}

function ActionItem({ action, context, isFirst, onChoose }: ActionItemProps) {
  const { label, icon: Icon, tab, isDangerous } = action
  const obstacle = action.obstacle?.(context)
  const look = {
    leftSection: Icon && <Icon size={16} stroke={1.6} />,
    disabled: obstacle !== undefined,
    'data-autofocus': isFirst || undefined,
    ...(isDangerous && { color: 'var(--danger)' }),
    children: (
      <>
        {label}
        {obstacle && <span className={classes.itemHint}>{obstacle}</span>}
      </>
    ),
  }
  return tab ? (
    <Menu.Item {...look} component={Link} to={deviceAddress(context.device.id, tab)} state={beginOf(tab)} />
  ) : (
    <Menu.Item {...look} onClick={() => onChoose(action)} />
  )
}

const more: readonly DeviceActionName[] = [
  'shutdown',
  'orderPower',
  'lock',
  'logOff',
  'sleep',
  'firmware',
  'safeMode',
  'refresh',
  'update',
  'rename',
  'share',
  'window',
]
const dangerous: readonly DeviceActionName[] = ['uninstall', 'delete']

/** The actions of the device's page: as many buttons as have room and can be used now, everything else under "More". */
export function ActionButtons({ room, ...handlers }: ActionButtonsProps) {
  const { device, can } = usePageDevice()
  const session = useSession()
  const navigate = useNavigate()
  const context = {
    device,
    can,
    isUpdatable: useDeviceAgent(device)?.isUpdatable,
    variants: useDevicePower()?.variants,
    wakeObstacle: useWakeObstacle(device, can('device.wake.send')),
    ...byAddress(device, navigate),
    ...handlers,
  }
  const first = permittedActions(
    device.isOnline ? [...quickTabs, 'wake', 'restart'] : ['wake', ...quickTabs, 'restart'],
    can,
  )
  const buttons = first.filter(({ obstacle }) => obstacle?.(context) === undefined).slice(0, Math.max(0, room))
  const groups = [
    first.filter((action) => !buttons.includes(action)),
    permittedActions(session.can('tenant.permissions.read') ? [...more, 'rights'] : more, can),
    permittedActions(dangerous, can),
  ]
    .map((group) => group.filter(({ isOffered }) => isOffered?.(context) ?? true))
    .filter((group) => group.length > 0)
  // Mantine would focus a disabled first item, which leaves the focus outside of the menu.
  const firstUsable = groups.flat().find(({ obstacle }) => obstacle?.(context) === undefined)
  const chosen = useRef<DeviceAction>(undefined)
  const button = useRef<HTMLButtonElement>(null)
  const handleGone = () => {
    if (chosen.current) {
      // The item is gone: a dialog would give the focus back to the body of the page.
      button.current?.focus()
      chosen.current.run(context)
      chosen.current = undefined
    }
  }
  return (
    <div className={classes.actions} role="group" aria-label={t.visit.actions}>
      {buttons.map((action, index) => (
        <DeviceActionButton
          key={action.name}
          action={action}
          context={context}
          // The tabs of an offline device open no session.
          variant={index === 0 && (device.isOnline || action.name === 'wake') ? 'filled' : 'default'}
        />
      ))}
      <Menu width={240} position="bottom-end" transitionProps={{ duration: 120, onExited: handleGone }}>
        <Menu.Target>
          <Button ref={button} variant="default" px="sm" leftSection={<IconDots size={16} stroke={1.6} />}>
            {t.visit.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {groups.map((group, index) => (
            <Fragment key={group[0]?.name}>
              {index > 0 && <Menu.Divider />}
              {group.map((action) => (
                <ActionItem
                  key={action.name}
                  action={action}
                  context={context}
                  isFirst={action === firstUsable}
                  onChoose={(action) => void (chosen.current = action)}
                />
              ))}
            </Fragment>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
