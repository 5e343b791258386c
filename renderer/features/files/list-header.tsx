import { Checkbox } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { files as t } from '../../strings/en-files.ts'
import { sortColumns, type SortColumn, type SortOrder } from './entry-order.ts'
import classes from './file-list.module.css'

interface ListHeaderProps {
  order: SortOrder
  onSort: (order: SortOrder) => void
  picked: 'none' | 'some' | 'all'
  onPickAll: () => void
}

/** Columns that sort in descending order first. */
const descendingFirst: readonly SortColumn[] = ['size', 'changed']

export const ListHeader = ({ order, onSort, picked, onPickAll }: ListHeaderProps) => (
  <div className={classes.header} role="row" aria-rowindex={1}>
    <div className={classes.check} role="columnheader">
      <Checkbox
        size="xs"
        aria-label={t.selectAll}
        checked={picked === 'all'}
        indeterminate={picked === 'some'}
        onChange={onPickAll}
      />
    </div>
    {sortColumns.map((column) => {
      const isSorted = order.column === column
      const Arrow = order.isDescending ? IconArrowDown : IconArrowUp
      return (
        <div
          key={column}
          className={classes[column]}
          role="columnheader"
          aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
        >
          <button
            type="button"
            className={classes.sort}
            title={t.sortBy(t[column])}
            onClick={() =>
              onSort({ column, isDescending: isSorted ? !order.isDescending : descendingFirst.includes(column) })
            }
          >
            <span className="truncate">{t[column]}</span>
            {isSorted && <Arrow size={14} aria-hidden />}
          </button>
        </div>
      )
    })}
  </div>
)
