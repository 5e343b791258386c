import { Menu } from '@mantine/core'
import { IconExternalLink, IconLayoutSidebarRight, IconPencil, IconTerminal2, IconTrash } from '@tabler/icons-react'
import type { ReactElement } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { useSession } from '../../session.tsx'
import { en as t } from '../../strings/en.ts'
import { useListActions } from './list-actions.ts'

/** The menu of the row under the cursor. Everything in it is elsewhere too; this is the shortcut. */
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
          {can('device.terminal.use') && (
            <Menu.Item leftSection={<IconTerminal2 size={16} />} onClick={() => actions.openTerminal(device.id)}>
              {t.device.terminal}
            </Menu.Item>
          )}
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
