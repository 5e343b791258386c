import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { useSession } from '../../session.tsx'
import { en as t } from '../../strings/en.ts'
import { moment } from '../../strings/format.ts'
import classes from './devices-page.module.css'
import type { Selection } from './use-selection.ts'

interface ListFooterProps {
  selection: Selection
  /** Devices of the search, loaded or not. */
  total: number
  onSelectAll: () => void
  isSelectingAll: boolean
  /** Moment of an order that is held although its values move, in ms since the epoch. */
  orderedAt: number | undefined
  /** Figures have changed since, and the rows kept their places. */
  isOutOfOrder: boolean
  onSortAgain: () => void
  onDelete: (devices: DeviceResponseDto[]) => void
}

/** What can be done with the picked rows, and how old a moving order is. Nothing when there is neither. */
export function ListFooter(props: ListFooterProps) {
  const { selection, total, onSelectAll, isSelectingAll, orderedAt, isOutOfOrder, onSortAgain, onDelete } = props
  const { can } = useSession()
  const { selected, clear } = selection
  if (selected.size === 0 && orderedAt === undefined) {
    return null
  }
  return (
    <div className={classes.bar}>
      {selected.size > 0 && (
        <div className={classes.selected} role="toolbar" aria-label={t.devices.selected(selected.size)}>
          <span className="tabular">{t.devices.selectedOf(selected.size, total)}</span>
          {selected.size < total && (
            <Button variant="subtle" size="xs" loading={isSelectingAll} onClick={onSelectAll}>
              {t.devices.selectAllOf(total)}
            </Button>
          )}
          {can('device.delete') && (
            <Button
              variant="light"
              color="danger"
              size="xs"
              leftSection={<IconTrash size={15} />}
              onClick={() => onDelete([...selected.values()])}
            >
              {t.common.delete}
            </Button>
          )}
          <Button variant="subtle" color="gray" size="xs" onClick={clear}>
            {t.devices.clearSelection}
          </Button>
        </div>
      )}
      {orderedAt !== undefined && (
        <span className={`${classes.order} small muted`}>
          <span>
            {t.devices.sortedAt(moment(orderedAt))}
            {isOutOfOrder && t.devices.movedSince}
          </span>
          <button type="button" className={classes.link} onClick={onSortAgain}>
            {t.devices.sortAgain}
          </button>
        </span>
      )}
    </div>
  )
}
