import { Box, Button, Stack } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import * as t from '../../texts.ts'
import { focusList } from '../list-focus.ts'
import { PageHead } from '../page-head.tsx'
import type { ListFrame } from './use-list-address.ts'
import listPage from '../list-page.module.css'
import pane from '../pane-frame.module.css'
import type { Icon } from '@tabler/icons-react'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { EmptyState } from '../empty-state.tsx'
import { ProblemAlert } from '../problem-alert.tsx'
import { NoMatchState } from './no-match.tsx'
import type { RowId } from './use-row-selection.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import { VirtualList } from './virtual-list.tsx'

interface ListViewProps<Row extends { id: RowId }> extends Omit<ComponentProps<typeof VirtualList<Row>>, 'footer'> {
  list: ListFrame<Row['id']>
  /** Shown while nothing exists: what the things are for, and the first step. */
  empty: { icon: Icon; title: string; hint: string; action?: ReactNode }
  /** Shown while the filters hide everything. */
  noMatch?: { title: string; hint: string }
}

/** A list, or the reason why it shows no rows: it is loading, it failed, it is empty, or the filters hide all. */
export function ListView<Row extends { id: RowId }>(props: ListViewProps<Row>) {
  const { empty, noMatch, ...rows } = props
  const { data, list } = rows
  const isLate = useIsLate(data.isPending)
  if (data.error) {
    return (
      <Box p={24}>
        <ProblemAlert error={data.error} onRetry={data.reload} />
      </Box>
    )
  }
  if (data.isPending) {
    return isLate && <ListSkeleton />
  }
  if (data.rows.length === 0 && list.isFiltered) {
    return (
      <NoMatchState title={noMatch?.title ?? t.lists.noMatch} hint={noMatch?.hint ?? t.lists.noMatchHint}>
        <Button variant="default" onClick={list.onClearFilters}>
          {t.lists.clearFilters}
        </Button>
      </NoMatchState>
    )
  }
  if (data.rows.length === 0) {
    return (
      <EmptyState icon={empty.icon} title={empty.title} hint={empty.hint}>
        {empty.action}
      </EmptyState>
    )
  }
  return (
    <VirtualList
      {...rows}
      footer={
        data.moreError ? (
          <Box p={24}>
            <ProblemAlert
              error={data.moreError}
              title={t.lists.moreFailed}
              {...(data.retryMore && { onRetry: data.retryMore })}
            />
          </Box>
        ) : (
          data.isLoadingMore && <p className={listPage.more}>{t.lists.loadingMore}</p>
        )
      }
    />
  )
}

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
      <Stack gap={0} flex={1} miw="min(240px, 100%)">
        {props.children}
      </Stack>
      {props.pane}
    </div>
  </div>
)
