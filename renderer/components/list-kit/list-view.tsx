import { Button, Skeleton } from '@mantine/core'
import { IconSearchOff, type Icon } from '@tabler/icons-react'
import type { ComponentProps, ReactNode } from 'react'
import { useIsLate } from '../../hooks/use-is-late.ts'
import * as t from '../../texts.ts'
import { EmptyState } from '../empty-state.tsx'
import { ProblemAlert } from '../problem-alert.tsx'
import type { ListFrame } from './use-list-address.ts'
import type { RowId } from './use-row-selection.ts'
import { VirtualList } from './virtual-list.tsx'
import listPage from '../list-page.module.css'

interface ListViewProps<Row extends { id: RowId }> extends Omit<ComponentProps<typeof VirtualList<Row>>, 'footer'> {
  list: ListFrame<Row['id']>
  /** Shown while nothing exists: what the things are for, and the first step. */
  empty: { icon: Icon; title: string; hint: string; action?: ReactNode }
  /** Shown while the filters hide everything. */
  noMatch?: { title: string; hint: string }
}

export const ListSkeleton = () => (
  <div className={listPage.skeleton} aria-hidden>
    {Array.from({ length: 12 }, (_, index) => (
      <Skeleton key={index} height={12} width={`${92 - (index % 4) * 9}%`} />
    ))}
  </div>
)

/** A list, or the reason why it shows no rows: it is loading, it failed, it is empty, or the filters hide all. */
export function ListView<Row extends { id: RowId }>(props: ListViewProps<Row>) {
  const { empty, noMatch, ...rows } = props
  const { data, list } = rows
  const isLate = useIsLate(data.isPending)
  if (data.error) {
    return (
      <div className={listPage.notice}>
        <ProblemAlert error={data.error} onRetry={data.reload} />
      </div>
    )
  }
  if (data.isPending) {
    return isLate && <ListSkeleton />
  }
  if (data.rows.length === 0 && list.isFiltered) {
    return (
      <EmptyState
        icon={IconSearchOff}
        title={noMatch?.title ?? t.lists.noMatch}
        hint={noMatch?.hint ?? t.lists.noMatchHint}
      >
        <Button variant="default" onClick={list.onClearFilters}>
          {t.lists.clearFilters}
        </Button>
      </EmptyState>
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
          <div className={listPage.notice}>
            <ProblemAlert
              error={data.moreError}
              title={t.lists.moreFailed}
              {...(data.retryMore && { onRetry: data.retryMore })}
            />
          </div>
        ) : (
          data.isLoadingMore && <p className={listPage.more}>{t.lists.loadingMore}</p>
        )
      }
    />
  )
}
