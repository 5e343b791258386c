import { Button, Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconHistory, IconSearchOff } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { focusList } from '../../components/list-focus.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useAddressState } from '../../hooks/use-address-state.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { AuditFilterBar } from './audit-filters.tsx'
import { AuditList } from './audit-list.tsx'
import { AuditPane } from './audit-pane.tsx'
import { auditQueries } from './audit-queries.ts'
import { noFilters, readAudit, toFilters, writeAudit, type AuditState } from './audit-url.ts'
import { ChainLine } from './chain-line.tsx'
import { ExportButtons } from './export-buttons.tsx'
import listPage from '../../components/list-page.module.css'
import pane from '../../components/pane-frame.module.css'
import classes from './audit.module.css'

const typingMs = 200

/** The entries that match the filters, and whose they are. */
function useAuditLog({ person, device, kind, from, to, isFailure }: AuditState) {
  const { user } = useSession()
  const chain = useQuery(auditQueries.chain(user.tenantId))
  const tenantId = chain.data?.isOfServer ? undefined : user.tenantId
  const filters = useMemo(
    () => toFilters({ person, device, kind, from, to, isFailure, eventId: undefined }),
    [person, device, kind, from, to, isFailure],
  )
  const [settled] = useDebouncedValue(filters, typingMs)
  const list = useInfiniteQuery({ ...auditQueries.list(tenantId, settled), enabled: chain.data !== undefined })
  const events = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  return { chain, tenantId, filters, isFiltered: Object.keys(filters).length > 0, list, events }
}

/** Loading of older entries, or why they could not be loaded. */
function Older({ list }: { list: ReturnType<typeof useAuditLog>['list'] }) {
  return list.isFetchNextPageError ? (
    <div className={classes.notice}>
      <ProblemAlert error={list.error} title={t.audit.moreFailed} onRetry={() => void list.fetchNextPage()} />
    </div>
  ) : (
    list.isFetchingNextPage && <p className={classes.more}>{t.audit.loadingMore}</p>
  )
}

/** The list, or the reason why it is empty. */
function Entries({
  log: { chain, list, events, isFiltered },
  state,
  onChange,
}: {
  log: ReturnType<typeof useAuditLog>
  state: AuditState
  onChange: (changes: Partial<AuditState>) => void
}) {
  const [cursorId, setCursorId] = useState(state.eventId)
  const isPending = chain.isPending || (list.isPending && !chain.error)
  const isLate = useIsLate(isPending)
  if (chain.error && !chain.data) {
    return null
  }
  if (list.error && !list.data) {
    return (
      <div className={classes.notice}>
        <ProblemAlert error={list.error} onRetry={() => void list.refetch()} />
      </div>
    )
  }
  if (isPending) {
    return (
      isLate && (
        <div className={listPage.skeleton} aria-hidden>
          {Array.from({ length: 12 }, (_, index) => (
            <Skeleton key={index} height={12} width={`${92 - (index % 4) * 9}%`} />
          ))}
        </div>
      )
    )
  }
  if (events.length === 0) {
    return isFiltered ? (
      <EmptyState icon={IconSearchOff} title={t.audit.noMatch} hint={t.audit.noMatchHint}>
        <Button variant="default" onClick={() => onChange(noFilters)}>
          {t.audit.clearFilters}
        </Button>
      </EmptyState>
    ) : (
      <EmptyState icon={IconHistory} title={t.audit.emptyTitle} hint={t.audit.emptyHint} />
    )
  }
  // The cursor stays on its entry while newer ones appear above.
  const cursor = Math.max(
    0,
    events.findIndex(({ id }) => id === cursorId),
  )
  return (
    <AuditList
      events={events}
      isStale={list.isPlaceholderData}
      cursor={cursor}
      openId={state.eventId}
      onCursor={(index) => setCursorId(events[index]?.id)}
      onOpen={(eventId) => onChange({ eventId })}
      onEnd={() => {
        if (list.hasNextPage && !list.isFetching && !list.error) {
          void list.fetchNextPage()
        }
      }}
      footer={<Older list={list} />}
    />
  )
}

/** The audit log: of the whole server, or for readers of a tenant its own. */
export function Component() {
  usePageTitle(t.audit.title)
  const [state, change] = useAddressState(readAudit, writeAudit)
  const log = useAuditLog(state)
  const { list, events } = log
  const { eventId } = state
  const handleChange = (changes: Partial<AuditState>) =>
    // Opening and closing the details adds a history entry.
    change(changes, !('eventId' in changes) || (changes.eventId !== undefined && eventId !== undefined))
  const close = () => {
    handleChange({ eventId: undefined })
    focusList()
  }
  return (
    <div className={listPage.page}>
      <PageHead
        title={t.audit.title}
        intro={t.audit.intro}
        action={log.chain.data && <ExportButtons tenantId={log.tenantId} filters={log.filters} />}
      />
      <ChainLine chain={log.chain} />
      <AuditFilterBar
        state={state}
        isFiltered={log.isFiltered}
        shown={list.data ? t.audit.shown(events.length, list.hasNextPage) : ''}
        onChange={handleChange}
        onRefresh={() => void list.refetch()}
      />
      <div
        className={pane.body}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && eventId !== undefined && !event.defaultPrevented) {
            event.preventDefault()
            close()
          }
        }}
      >
        <div className={pane.list}>
          <Entries log={log} state={state} onChange={handleChange} />
        </div>
        {eventId !== undefined && log.chain.data && (
          <AuditPane
            id={eventId}
            tenantId={log.tenantId}
            known={events.find(({ id }) => id === eventId)}
            onFilter={handleChange}
            onClose={close}
          />
        )}
      </div>
    </div>
  )
}
