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
  /** Moment of an order that is held although its values move, in ms since the epoch. */
  orderedAt: number | undefined
  onSortAgain: () => void
  onDelete: (devices: DeviceResponseDto[]) => void
}

/** What can be done with the picked rows, and how old a moving order is. Nothing when there is neither. */
export function ListFooter({ selection, orderedAt, onSortAgain, onDelete }: ListFooterProps) {
  const { can } = useSession()
  const { selected, clear } = selection
  if (selected.size === 0 && orderedAt === undefined) {
    return null
  }
  return (
    <div className={classes.bar}>
      {selected.size > 0 && (
        <div className={classes.selected} role="toolbar" aria-label={t.devices.selected(selected.size)}>
          <span className="tabular">{t.devices.selected(selected.size)}</span>
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
          {t.devices.sortedAt(moment(orderedAt))}
          <button type="button" className={classes.link} onClick={onSortAgain}>
            {t.devices.sortAgain}
          </button>
        </span>
      )}
    </div>
  )
}
