import { Button, Stack } from '@mantine/core'
import { IconTimeline } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { dayMs } from '../../../shared/durations.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { FilterChips } from '../../components/list-kit/filter-chips.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { calendarDay } from '../../text/format.ts'
import * as t from '../../texts.ts'
import { Entry } from './entry.tsx'
import { byDay, filtersOf, timelineQuery, type TimelineFilter, type TimelineSource } from './timeline-source.ts'
import classes from './timeline.module.css'

const refreshMs = 15_000

function dayName(day: number): string {
  const today = new Date().setHours(0, 0, 0, 0)
  return day === today
    ? t.timeline.today
    : day === new Date(today - dayMs / 2).setHours(0, 0, 0, 0)
      ? t.timeline.yesterday
      : calendarDay(day)
}

interface TimelineProps {
  source: TimelineSource
  /** Entries of a page. */
  limit: number
  isShown?: boolean
}

/** Timeline of a device or a person, by day, newest first. */
export function Timeline({ source, limit, isShown = true }: TimelineProps) {
  const { can } = useSession()
  const [filter, setFilter] = useState<TimelineFilter | ''>('')
  const query = useInfiniteQuery({
    ...timelineQuery(source, filter, limit),
    enabled: isShown,
    // Only the newest page: a refresh reads every loaded page again.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
    refetchOnWindowFocus: ({ state }) => state.data?.pages.length === 1,
  })
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, isPlaceholderData } = query
  const entries = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const days = useMemo(() => byDay(entries), [entries])
  const ownId = source.kind === 'device' ? source.deviceId : source.userId
  const mayOpenPeople = can('tenant.users.read')
  const isEmpty = data !== undefined && entries.length === 0 && !hasNextPage
  return (
    <Stack component="section" gap={12} aria-label={t.timeline.of(source.name)}>
      <FilterChips
        label={t.timeline.filters}
        chips={filtersOf(source).map((value) => ({ value, label: t.timeline.filter[value] }))}
        value={filter}
        onChange={setFilter}
      />
      {data === undefined && <QueryState query={query} height={240} />}
      {isEmpty && filter && <p className="muted">{t.timeline.noMatch}</p>}
      {isEmpty && !filter && (
        <EmptyState
          icon={IconTimeline}
          title={t.timeline.emptyTitle}
          hint={source.kind === 'device' ? t.timeline.emptyDevice : t.timeline.emptyPerson}
        />
      )}
      <div className={classes.days} data-stale={isPlaceholderData || undefined}>
        {days.map(({ day, entries: ofDay }) => (
          <section key={day} className={classes.day} aria-label={dayName(day)}>
            <h3 className="small muted">{dayName(day)}</h3>
            <ol>
              {ofDay.map((entry) => (
                <Entry key={entry.id} entry={entry} ownId={ownId} mayOpenPeople={mayOpenPeople} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      {isFetchNextPageError && <ProblemAlert error={query.error} onRetry={() => void query.fetchNextPage()} />}
      {hasNextPage ? (
        <Button
          className={classes.earlier}
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.timeline.earlier}
        </Button>
      ) : (
        entries.length > 0 && <p className="small muted">{t.timeline.end}</p>
      )}
      {source.kind === 'device' && !can('appliance.audit.read') && (
        <p className="small muted">{t.timeline.partly(permissionTexts['appliance.audit.read'].displayName)}</p>
      )}
    </Stack>
  )
}
