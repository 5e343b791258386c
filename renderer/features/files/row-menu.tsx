import { Menu } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Entry } from '../../api/files.ts'
import { files as t } from '../../strings/en-files.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { offeredEntryActions } from './actions.ts'
import { usePageFiles } from './page-files.ts'

/** Context menu of the selected entries, with the same actions as the bar below the list. */
export function RowMenu({ entries, children }: { entries: readonly Entry[]; children: ReactElement }) {
  const context = { entries, files: usePageFiles() }
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
          {offeredEntryActions(context).map(({ name, label, icon: Icon, run, isDangerous }) => (
            <Menu.Item
              key={name}
              color={isDangerous ? 'var(--danger)' : undefined}
              leftSection={Icon && <Icon size={16} />}
              onClick={() => run(context)}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      )}
    </Menu>
  )
}
