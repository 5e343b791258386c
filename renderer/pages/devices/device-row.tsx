import { Skeleton } from '@mantine/core'
import { FlexRender } from '@tanstack/react-table'
import { memo } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import table from '../../components/rows.module.css'
import classes from './device-table.module.css'
import type { DeviceColumns } from './use-columns.ts'

interface DeviceRowProps {
  row: DeviceColumns['rows'][number] | undefined
  /** Device of `row`. Rows are recreated with every change of any device, devices only when they change themselves. */
  device: DeviceResponseDto | undefined
  index: number
  top: number
  /** Common to all rows; `columnIds` are the visible columns, in order. */
  list: { template: string; columnIds: string; isLate: boolean; isDraggable: boolean }
  /** `isRenaming` forces a render when it changes. */
  marks: { isCursor: boolean; isSelected: boolean; isOpen: boolean; isRenaming: boolean }
  onToggle: (device: DeviceResponseDto, index: number, isRange: boolean) => void
}

export const rowDomId = (index: number) => `device-row-${index}`

/** Row of a device, or a placeholder while it loads. */
export const DeviceRow = memo(function DeviceRow(props: DeviceRowProps) {
  const { row, device, index, top, list, marks, onToggle } = props
  const { template, columnIds, isLate, isDraggable } = list
  const { isCursor, isSelected, isOpen } = marks
  const visible = columnIds.split(' ')
  return (
    <div
      id={rowDomId(index)}
      className={classes.row}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      draggable={(isDraggable && device !== undefined) || undefined}
      data-index={index}
      data-cursor={isCursor || undefined}
      data-open={isOpen || undefined}
      data-old={(device && !device.isOnline) || undefined}
    >
      <div className={table.check} role="gridcell">
        {device && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t.devices.selectRow(nameOfDevice(device))}
            checked={isSelected}
            onChange={(event) => onToggle(device, index, (event.nativeEvent as MouseEvent).shiftKey)}
          />
        )}
      </div>
      {row
        ? row
            .getVisibleCells()
            .filter(({ column }) => visible.includes(column.id))
            .map((cell) => (
              <div key={cell.id} className={classes.cell} role="gridcell">
                <FlexRender cell={cell} />
              </div>
            ))
        : visible.map((id) => (
            <div key={id} className={classes.cell} role="gridcell">
              {isLate && <Skeleton height={10} width={id === 'name' ? '60%' : '40%'} />}
            </div>
          ))}
    </div>
  )
}, isSameRow)

const comparedProps = ({ row: _, list, marks, ...props }: DeviceRowProps) => ({ ...props, ...list, ...marks })

function isSameRow(previous: DeviceRowProps, next: DeviceRowProps) {
  const [before, after] = [comparedProps(previous), comparedProps(next)]
  return (Object.keys(before) as (keyof typeof before)[]).every((name) => before[name] === after[name])
}
