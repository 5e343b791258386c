import { Skeleton, Stack } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ButtonLink } from '../../components/links.tsx'
import type { BatchDto } from '../../../shared/dtos/batch.ts'
import { BatchCounts } from '../../components/batch-counts.tsx'
import { batchKinds, sentTo, totalOf } from '../../components/batch-kinds.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import listPage from '../../components/list-page.module.css'
import classes from './batches.module.css'
import { batchQueries } from '../../api/batch-queries.ts'

/** Polling interval while a job runs. */
const refreshMs = 2_000

function BatchRow({ batch }: { batch: BatchDto }) {
  const Sign = batchKinds[batch.kind].icon
  const detail = batch.command ?? batch.tagName ?? (batch.delivery && sentTo(batch.delivery))
  return (
    <li>
      <Link to={`/batches/${batch.id}`} className={classes.batch}>
        <Sign size={18} stroke={1.6} aria-hidden />
        <span className={classes.batchName}>
          <span className={classes.batchTitle}>{t.batches.titles[batch.kind](totalOf(batch))}</span>
          {detail && <span className="mono truncate muted">{detail}</span>}
        </span>
        <BatchCounts counts={batch.counts} />
        <span className={`${classes.when} muted`}>
          <RelativeTime at={batch.createdAt} />
        </span>
      </Link>
    </li>
  )
}

/** Bulk jobs of the user, newest first. */
export function Component() {
  usePageTitle(t.batches.title)
  const { data, error, isPending, refetch } = useQuery({
    ...batchQueries.batches,
    refetchInterval: ({ state }) => (state.data?.some(({ finishedAt }) => finishedAt === null) ? refreshMs : false),
  })
  const isLate = useIsLate(isPending)
  const content = () => {
    if (error && !data) {
      return <ProblemAlert error={error} onRetry={() => void refetch()} />
    }
    if (!data) {
      return (
        isLate && (
          <Stack gap={24} aria-hidden>
            {Array.from({ length: 5 }, (_, index) => (
              <Skeleton key={index} height={14} width={`${80 - index * 6}%`} />
            ))}
          </Stack>
        )
      )
    }
    if (data.length === 0) {
      return (
        <EmptyState icon={IconListCheck} title={t.batches.emptyTitle} hint={t.batches.emptyHint}>
          <ButtonLink to="/devices">{t.batches.toDevices}</ButtonLink>
        </EmptyState>
      )
    }
    return (
      <ul className={classes.batches} aria-label={t.batches.title}>
        {data.map((batch) => (
          <BatchRow key={batch.id} batch={batch} />
        ))}
      </ul>
    )
  }
  return (
    <div className={listPage.page}>
      <PageHead title={t.batches.title} intro={t.batches.intro} />
      <div className={classes.content}>{content()}</div>
    </div>
  )
}
