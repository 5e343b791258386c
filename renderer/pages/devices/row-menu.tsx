import { Menu } from '@mantine/core'
import { IconAppWindow, IconExternalLink, IconLayoutSidebarRight, IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactElement } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { deviceTabs, quickTabs } from '../../components/device-tabs.ts'
import { hasWindows, openOwnWindow } from '../../components/own-window.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { useListActions } from './list-actions.ts'

/** Context menu of the row under the cursor, a shortcut to actions found elsewhere. */
export function RowMenu({ device, children }: { device: DeviceResponseDto | undefined; children: ReactElement }) {
  const actions = useListActions()
  const { can } = useSession()
  return (
    <Menu width={220} position="bottom-start" returnFocus>
      <Menu.ContextMenu disabled={!device}>{children}</Menu.ContextMenu>
      {device && (
        <Menu.Dropdown aria-label={t.device.actions(device.name)}>
          <Menu.Label>{device.name}</Menu.Label>
          <Menu.Item leftSection={<IconExternalLink size={16} />} onClick={() => actions.open(device.id)}>
            {t.device.open}
          </Menu.Item>
          {quickTabs
            .filter((name) => can(deviceTabs[name].permission))
            .map((name) => {
              const { label, icon: Icon } = deviceTabs[name]
              return (
                <Menu.Item key={name} leftSection={<Icon size={16} />} onClick={() => actions.open(device.id, name)}>
                  {label}
                </Menu.Item>
              )
            })}
          <Menu.Item leftSection={<IconAppWindow size={16} />} onClick={() => openOwnWindow(device.id)}>
            {hasWindows ? t.visit.ownWindow : t.visit.newTab}
          </Menu.Item>
          <Menu.Item leftSection={<IconLayoutSidebarRight size={16} />} onClick={() => actions.showDetails(device.id)}>
            {t.devices.details}
          </Menu.Item>
          {can('device.alias.write') && (
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => actions.rename(device.id)}>
              {t.device.editAlias}
            </Menu.Item>
          )}
          {can('device.delete') && (
            <>
              <Menu.Divider />
              <Menu.Item
                color="var(--danger)"
                leftSection={<IconTrash size={16} />}
                onClick={() => actions.remove([device])}
              >
                {t.common.delete}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      )}
    </Menu>
  )
}
