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
  /** Age of an order that changes by itself, in ms since the epoch; 0 for an order that does not. */
  sortedAt: number
  onSortAgain: () => void
  onDelete: (devices: DeviceResponseDto[]) => void
}

/** What can be done with the picked rows, and how old a moving order is. Nothing when there is neither. */
export function ListFooter({ selection, sortedAt, onSortAgain, onDelete }: ListFooterProps) {
  const { can } = useSession()
  const { selected, clear } = selection
  const isOrderShown = Number.isFinite(sortedAt) && sortedAt > 0
  if (selected.size === 0 && !isOrderShown) {
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
      {isOrderShown && (
        <span className={`${classes.order} small muted`}>
          {t.devices.sortedAt(moment(sortedAt))}
          <button type="button" className={classes.link} onClick={onSortAgain}>
            {t.devices.sortAgain}
          </button>
        </span>
      )}
    </div>
  )
}
