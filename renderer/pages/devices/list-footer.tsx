import { Button } from '@mantine/core'
import type { BatchKind } from '../../../shared/dtos/batch.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { en as t } from '../../strings/en.ts'
import { moment } from '../../strings/format.ts'
import classes from './devices-page.module.css'
import { SelectionActions } from './selection-actions.tsx'
import type { Selection } from './use-selection.ts'

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
      <SelectionActions
        onBatch={(kind) => onBatch(kind, [...selected.values()])}
        onDelete={() => onDelete([...selected.values()])}
        onMove={() => onMove([...selected.values()])}
      />
      <Button variant="subtle" color="gray" size="xs" onClick={clear}>
        {t.devices.clearSelection}
      </Button>
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
