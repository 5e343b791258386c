import { Menu } from '@mantine/core'
import { Fragment, type ReactElement } from 'react'
import { useNavigate } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import {
  byAddress,
  permittedActions,
  type DeviceActionContext,
  type DeviceActionName,
} from '../../components/device-actions.ts'
import { shownIcon, shownLabel } from '../../components/actions.ts'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { useAlertSummary } from '../../features/alerts/use-alerts.ts'
import { useWatch } from '../../features/alerts/use-watch.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { quickTabs } from '../../components/device-tabs.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { useListActions } from './list-actions.ts'

const names: readonly DeviceActionName[] = [
  'overview',
  ...quickTabs,
  'wake',
  'watch',
  'restart',
  'window',
  'details',
  'rename',
  'share',
  'delete',
]

/** Context menu of a row. All its actions are also available elsewhere. */
export function RowMenu({ device, children }: { device: DeviceResponseDto | undefined; children: ReactElement }) {
  const list = useListActions()
  const navigate = useNavigate()
  const { can } = useSession()
  const summary = useAlertSummary()
  const { watch, unwatch } = useWatch()
  const sayWatched = (watched: DeviceResponseDto) =>
    showUndo(t.alerts.watchSet(nameOfDevice(watched)), () => unwatch(watched))
  const context: DeviceActionContext | undefined = device && {
    device,
    can,
    ...byAddress(device, navigate),
    rename: () => list.rename(device.id),
    showDetails: () => list.showDetails(device.id),
    remove: () => list.remove([device]),
    isWatched: summary?.watchedIds.includes(device.id),
    watch: (isWanted) => (isWanted ? watch(device, () => sayWatched(device)) : void unwatch(device).catch(() => {})),
  }
  return (
    <Menu width={220} position="bottom-start" returnFocus>
      <Menu.ContextMenu disabled={!device}>{children}</Menu.ContextMenu>
      {context && (
        <Menu.Dropdown aria-label={t.device.actions(nameOfDevice(context.device))}>
          <Menu.Label>{nameOfDevice(context.device)}</Menu.Label>
          {permittedActions(names, can)
            .filter(({ obstacle }) => obstacle?.(context) === undefined)
            .map((action) => {
              const { name, isDangerous, run } = action
              const Icon = shownIcon(action, context)
              return (
                <Fragment key={name}>
                  {isDangerous && <Menu.Divider />}
                  <Menu.Item
                    leftSection={Icon && <Icon size={16} />}
                    onClick={() => run(context)}
                    {...(isDangerous && { color: 'var(--danger)' })}
                  >
                    {shownLabel(action, context)}
                  </Menu.Item>
                </Fragment>
              )
            })}
        </Menu.Dropdown>
      )}
    </Menu>
  )
}
