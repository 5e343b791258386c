import { Menu } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Entry } from '../../api/files.ts'
import { files as t } from '../../strings/en-files.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { useEntryActions } from './entry-actions.ts'

/** The menu of what is picked. Everything in it is in the bar below the list too; this is the shortcut. */
export function RowMenu({ entries, children }: { entries: readonly Entry[]; children: ReactElement }) {
  const actions = useEntryActions(entries)
  const [first] = entries
  return (
    <Menu width={220} position="bottom-start" returnFocus>
      <Menu.ContextMenu disabled={!first}>{children}</Menu.ContextMenu>
      {first && (
        <Menu.Dropdown aria-label={t.actions}>
          <Menu.Label>
            <bdi className="truncate" style={{ display: 'block' }}>
              {entries.length === 1 ? visibleName(first.name) : t.items(entries.length)}
            </bdi>
          </Menu.Label>
          {actions.map(({ label, icon: Icon, run, isDangerous }) => (
            <Menu.Item
              key={label}
              color={isDangerous ? 'var(--danger)' : undefined}
              leftSection={<Icon size={16} />}
              onClick={run}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      )}
    </Menu>
  )
}
