import { Button } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import * as t from '../../texts.ts'
import { focusList } from '../list-focus.ts'
import { PageHead } from '../page-head.tsx'
import type { ListFrame } from './use-list-address.ts'
import listPage from '../list-page.module.css'
import pane from '../pane-frame.module.css'

interface ListPageProps extends ComponentProps<typeof PageHead> {
  /** Between the head and the filters: a missing right, the state of the whole. */
  notice?: ReactNode
  /** Search field, chips and selects. */
  filters?: ReactNode
  /** How many things the list shows, such as "12 people". */
  shown?: string
  /** At the right end of the filters. */
  tools?: ReactNode
  list: Pick<ListFrame, 'isFiltered' | 'onClearFilters'> & { onOpen: (id: undefined) => void }
  /** Side pane of the open thing. */
  pane?: ReactNode
  /** Rows, and the bar of actions on the selected ones. */
  children: ReactNode
}

/** Page that is one list: head, filters, rows, side pane. Escape closes the pane and focuses the rows. */
export const ListPage = (props: ListPageProps) => (
  <div className={listPage.page} data-open={Boolean(props.pane) || undefined}>
    <PageHead title={props.title} intro={props.intro} action={props.action} />
    {props.notice}
    {(props.filters ?? props.shown) !== undefined && (
      <div className={listPage.filters} role="search">
        {props.filters}
        {props.list.isFiltered && (
          <Button variant="subtle" color="gray" size="xs" onClick={props.list.onClearFilters}>
            {t.lists.clearFilters}
          </Button>
        )}
        <span className={`${listPage.count} small muted tabular`} role="status">
          {props.shown}
        </span>
        {props.tools}
      </div>
    )}
    <div
      className={pane.body}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && props.pane && !event.defaultPrevented) {
          event.preventDefault()
          props.list.onOpen(undefined)
          focusList()
        }
      }}
    >
      <div className={pane.list}>{props.children}</div>
      {props.pane}
    </div>
  </div>
)
