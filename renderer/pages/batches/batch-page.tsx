import { Group, Skeleton } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { BackLink } from '../../components/back-link.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { batchStates, type BatchDto, type BatchState } from '../../../shared/dtos/batch.ts'
import { statusOf } from '../../api/http.ts'
import { batchQueries } from '../../api/batch-queries.ts'
import { totalOf, endedOf, sentTo } from '../../components/batch-kinds.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { FilterChips } from '../../components/list-kit/filter-chips.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import { BatchActions } from './batch-actions.tsx'
import { ResultList } from './result-list.tsx'
import listPage from '../../components/list-page.module.css'
import classes from './batches.module.css'
import { BatchBar } from '../../components/batch-bar.tsx'
import { BatchCounts } from '../../components/batch-counts.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { workTime } from '../../text/format.ts'

/** Command, tag, files or time, progress and times of a batch. */
function BatchHead({ batch }: { batch: BatchDto }) {
  const { command, tagName, delivery, power, timeLimitSeconds, createdAt, finishedAt } = batch
  const took = finishedAt && `${t.batches.took} ${workTime(Date.parse(finishedAt) - Date.parse(createdAt))}`
  return (
    <>
      {command !== null && (
        <div className={classes.command}>
          {/* Long commands scroll, so that the rows below stay visible. */}
          <pre tabIndex={0} aria-label={t.common.command}>
            {command}
          </pre>
          <CopyButton text={command} />
        </div>
      )}
      {tagName !== null && <p className={`${classes.fact} mono`}>{tagName}</p>}
      {power !== null && <p className={classes.fact}>{t.power.timing(power)}</p>}
      {delivery && <p className={`${classes.fact} mono`}>{sentTo(delivery)}</p>}
      <Group gap="4px 14px" mih={24} role="status">
        <BatchBar batch={batch} width={180} />
        <span className="tabular">{t.batches.progress(endedOf(batch), totalOf(batch))}</span>
        <BatchCounts counts={batch.counts} />
      </Group>
      <p className={`${classes.fact} small muted`}>
        {t.batches.started} <RelativeTime at={createdAt} />
        {took && ` · ${took}`}
        {timeLimitSeconds !== null && ` · ${t.batches.limit(timeLimitSeconds)}`}
      </p>
    </>
  )
}

/** Filter chips; some combine states that belong together for the user. */
const filters = {
  done: { label: t.common.done, states: ['done'] },
  failed: { label: t.batches.states.failed, states: ['failed', 'interrupted'] },
  skipped: { label: t.batches.states.skipped, states: ['skipped'] },
  canceled: { label: t.batches.states.canceled, states: ['canceled'] },
  running: { label: t.batches.goingOn, states: ['waiting', 'running'] },
} as const satisfies Record<string, { label: string; states: readonly BatchState[] }>
type FilterName = keyof typeof filters
const filterNames = Object.keys(filters) as FilterName[]

const countIn = ({ counts }: BatchDto, states: readonly BatchState[]) =>
  states.reduce((sum, state) => sum + counts[state], 0)

interface StateChipsProps {
  batch: BatchDto
  shown: FilterName | undefined
  onShow: (name: FilterName | undefined) => void
}

/** Chips of the states that devices of the batch are in. */
function StateChips({ batch, shown, onShow }: StateChipsProps) {
  const states = filterNames
    .map((name) => ({ value: name, label: filters[name].label, count: countIn(batch, filters[name].states) }))
    .filter(({ value, count }) => count > 0 || value === shown)
  return (
    <FilterChips
      label={t.batches.filters}
      chips={[{ value: 'all', label: t.batches.all, count: totalOf(batch) }, ...states]}
      value={shown ?? 'all'}
      onChange={(value) => onShow(value === '' || value === 'all' ? undefined : value)}
    />
  )
}

function BatchPage({ batchId }: { batchId: string }) {
  const [query, setQuery] = useSearchParams()
  const { data, error, isPending, refetch } = useQuery(batchQueries.batch(batchId))
  const isLate = useIsLate(isPending)
  const title = data ? t.batches.titles[data.batch.kind](totalOf(data.batch)) : t.batches.title
  usePageTitle(title)
  if (!data) {
    if (error) {
      return statusOf(error) === 404 ? (
        <EmptyState icon={IconListCheck} title={t.batches.notFound} hint={t.batches.notFoundHint}>
          <ButtonLink to="/batches">{t.batches.title}</ButtonLink>
        </EmptyState>
      ) : (
        <div className={classes.content}>
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        </div>
      )
    }
    return (
      isLate && (
        <div className={classes.content}>
          <Skeleton height={24} width={280} mb={16} />
          <Skeleton height={14} width="60%" />
        </div>
      )
    )
  }
  const { batch, results } = data
  const shown = filterNames.find((name) => name === query.get('show'))
  const states: readonly BatchState[] = shown ? filters[shown].states : batchStates
  const rows = results.filter(({ state }) => states.includes(state))
  return (
    <div className={listPage.page}>
      <header className={classes.head}>
        <BackLink to="/batches">{t.batches.title}</BackLink>
        <Group gap="8px 16px" align="flex-start" justify="space-between" mih={32}>
          <h1>{title}</h1>
          <BatchActions batch={batch} results={results} />
        </Group>
        <BatchHead batch={batch} />
        <StateChips
          batch={batch}
          shown={shown}
          onShow={(name) => setQuery(name ? { show: name } : {}, { replace: true })}
        />
      </header>
      <ResultList batch={batch} results={rows} />
    </div>
  )
}

/** Result of each device of a batch. */
export function Component() {
  const { batchId = '' } = useParams()
  return <BatchPage key={batchId} batchId={batchId} />
}
