import { Button, Menu } from '@mantine/core'
import { IconDots, IconFolders, IconLayoutGrid, IconTrash, IconX } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { batchPermissions, type BatchKind } from '../../../shared/dtos/batch.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'
import classes from './devices-page.module.css'
import type { Selection } from './use-selection.ts'
import { mostScreens } from '../../features/control/wall-previews.ts'
import { allBatchKinds, batchKinds } from '../../components/batch-kinds.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { useSession } from '../../hooks/use-session.ts'

interface SelectionActionsProps {
  onBatch: (kind: BatchKind) => void
  onDelete: () => void
  onMove: () => void
}

/** Bulk actions for the selected devices, if the user has the permission on any device. */
function SelectionActions({ onBatch, onDelete, onMove }: SelectionActionsProps) {
  const { can } = useSession()
  const permitted = allBatchKinds.filter((kind) => can(batchPermissions[kind]))
  const others = permitted.filter((kind) => !batchKinds[kind].isInFront)
  const mayMove = can('tenant.customers.write') || can('device-group.assign-devices')
  return (
    <>
      {permitted
        .filter((kind) => batchKinds[kind].isInFront)
        .map((kind) => {
          const Sign = batchKinds[kind].icon
          return (
            <Button
              key={kind}
              variant="default"
              size="xs"
              leftSection={<Sign size={15} stroke={1.7} />}
              onClick={() => onBatch(kind)}
            >
              {t.batches.actions[kind]}
            </Button>
          )
        })}
      {(others.length > 0 || mayMove) && (
        <Menu position="top-start" returnFocus>
          <Menu.Target>
            <Button variant="default" size="xs" px={8} aria-label={t.batches.more}>
              <IconDots size={15} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown aria-label={t.batches.more}>
            {mayMove && (
              <Menu.Item leftSection={<IconFolders size={16} stroke={1.7} />} onClick={onMove}>
                {t.organize.move.action}
              </Menu.Item>
            )}
            {others.map((kind) => {
              const Sign = batchKinds[kind].icon
              return (
                <Menu.Item
                  key={kind}
                  leftSection={<Sign size={16} stroke={1.7} />}
                  onClick={() => onBatch(kind)}
                  {...(kind === 'shut-down' && { color: 'var(--danger)' })}
                >
                  {t.batches.actions[kind]}
                </Menu.Item>
              )
            })}
          </Menu.Dropdown>
        </Menu>
      )}
      {can('device.delete') && (
        <Button variant="light" color="danger" size="xs" leftSection={<IconTrash size={15} />} onClick={onDelete}>
          {t.common.delete}
        </Button>
      )}
    </>
  )
}

interface SelectionBarProps {
  selection: Selection
  /** Number of devices in the search, loaded or not. */
  total: number
  onSelectAll: () => void
  isSelectingAll: boolean
  onDelete: (devices: DeviceResponseDto[]) => void
  onBatch: (kind: BatchKind, devices: DeviceResponseDto[]) => void
  onMove: (devices: DeviceResponseDto[]) => void
}

interface KeptOrderProps {
  /** Time of the kept sort order, in ms since the epoch. */
  orderedAt: number
  /** Whether values have changed since, while the rows kept their places. */
  isOutOfOrder: boolean
  onSortAgain: () => void
}

/** Actions for the selected devices. */
export function SelectionBar({ selection, total, onSelectAll, isSelectingAll, ...actions }: SelectionBarProps) {
  const { onDelete, onBatch, onMove } = actions
  const { selected, hidden, dropHidden, clear } = selection
  const { can } = useSession()
  const navigate = useNavigate()
  return (
    <div className={classes.selected} role="toolbar" aria-label={t.devices.selected(selected.size)}>
      <span className="tabular">
        {t.devices.selectedOf(selected.size, hidden.length, total)}
        {hidden.length > 0 && (
          <>
            {' '}
            <button type="button" className="link-button" onClick={dropHidden}>
              {t.devices.dropHidden(hidden.length)}
            </button>
          </>
        )}
      </span>
      {selected.size - hidden.length < total && (
        <Button variant="subtle" size="xs" loading={isSelectingAll} onClick={onSelectAll}>
          {t.devices.selectAllOf(total)}
        </Button>
      )}
      {can('device.desktop-preview.read') && (
        <Button
          variant="default"
          size="xs"
          title={t.wall.openHint(mostScreens)}
          disabled={selected.size > mostScreens}
          leftSection={<IconLayoutGrid size={15} stroke={1.7} />}
          onClick={() => void navigate(`/wall?devices=${[...selected.keys()].join()}`)}
        >
          {t.wall.title}
        </Button>
      )}
      <SelectionActions
        onBatch={(kind) => onBatch(kind, [...selected.values()])}
        onDelete={() => onDelete([...selected.values()])}
        onMove={() => onMove([...selected.values()])}
      />
      <IconButton label={t.lists.clearSelection} icon={<IconX size={15} stroke={1.7} />} onClick={clear} />
    </div>
  )
}

/** Age of a kept sort order. */
export const KeptOrder = ({ orderedAt, isOutOfOrder, onSortAgain }: KeptOrderProps) => (
  <span className={`${classes.order} small muted`}>
    <span>
      {t.devices.sortedAt(moment(orderedAt))}
      {isOutOfOrder && t.devices.movedSince}
    </span>
    <button type="button" className="link-button" onClick={onSortAgain}>
      {t.devices.sortAgain}
    </button>
  </span>
)
