import { Button } from '@mantine/core'
import type { BatchKind } from '../../../shared/dtos/batch.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { en as t } from '../../strings/en.ts'
import { moment } from '../../strings/format.ts'
import listPage from '../../components/list-page.module.css'
import classes from './devices-page.module.css'
import { SelectionActions } from './selection-actions.tsx'
import type { Selection } from './use-selection.ts'

interface ListFooterProps {
  selection: Selection
  /** Number of devices in the search, loaded or not. */
  total: number
  onSelectAll: () => void
  isSelectingAll: boolean
  /** Time of a kept sort order, in ms since the epoch. */
  orderedAt: number | undefined
  /** Whether values have changed since, while the rows kept their places. */
  isOutOfOrder: boolean
  onSortAgain: () => void
  onDelete: (devices: DeviceResponseDto[]) => void
  onBatch: (kind: BatchKind, devices: DeviceResponseDto[]) => void
}

/** Actions for the selection, and the age of a kept sort order. Nothing without either. */
export function ListFooter(props: ListFooterProps) {
  const { selection, total, onSelectAll, isSelectingAll, orderedAt, isOutOfOrder, onSortAgain, onDelete, onBatch } =
    props
  const { selected, hidden, dropHidden, clear } = selection
  if (selected.size === 0 && orderedAt === undefined) {
    return null
  }
  return (
    <div className={listPage.bar}>
      {selected.size > 0 && (
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
          />
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
          <button type="button" className="link-button" onClick={onSortAgain}>
            {t.devices.sortAgain}
          </button>
        </span>
      )}
    </div>
  )
}
