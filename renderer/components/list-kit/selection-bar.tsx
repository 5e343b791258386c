import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import * as t from '../../texts.ts'
import { IconButton } from '../icon-button.tsx'
import type { RowId, RowSelection } from './use-row-selection.ts'
import listPage from '../list-page.module.css'

interface SelectionBarProps<Row extends { id: RowId }> {
  selection: RowSelection<Row>
  /** Buttons that act on the selected rows. */
  children: ReactNode
}

/** Bar of actions on the selected rows; absent while none is selected. */
export const RowSelectionBar = <Row extends { id: RowId }>({ selection, children }: SelectionBarProps<Row>) =>
  selection.selected.size > 0 && (
    <div className={listPage.bar} role="toolbar" aria-label={t.lists.selected(selection.selected.size)}>
      <span className="tabular">
        {t.lists.selected(selection.selected.size)}
        {selection.hidden.length > 0 && (
          <>
            {' '}
            <button type="button" className="link-button" onClick={selection.dropHidden}>
              {t.lists.dropHidden(selection.hidden.length)}
            </button>
          </>
        )}
      </span>
      {children}
      <IconButton label={t.lists.clearSelection} icon={<IconX size={15} stroke={1.7} />} onClick={selection.clear} />
    </div>
  )
