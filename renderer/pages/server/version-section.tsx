import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UpdateRunDto, UpdateStateDto } from '../../../shared/dtos/update.ts'
import { desktop } from '../../api/desktop.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import { Markdown } from '../../components/markdown-view.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { byteSize, calendarDay } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { RolloutState } from './rollout-state.tsx'
import classes from './server-page.module.css'

/** Sends a change, and shows the state that the server answers. */
function useUpdateChange(change: () => Promise<UpdateStateDto>) {
  return useMutation({
    mutationFn: change,
    onSuccess: (state) => queryClient.setQueryData(serverQueries.updates.queryKey, state),
    onError: () => invalidate(serverQueries.updates.queryKey),
  })
}

function Running({ running, isAway }: { running: NonNullable<UpdateStateDto['running']>; isAway: boolean }) {
  const { version, step, doneBytes, totalBytes } = running
  return (
    <div className={classes.update} role="status">
      <p>
        <strong>{t.updates.progress(version)}</strong> {isAway ? t.updates.away : t.updates.steps[step]}
      </p>
      {step === 'download' && !isAway && (
        <>
          <ProgressBar label={t.updates.progress(version)} done={totalBytes === 0 ? 0 : doneBytes / totalBytes} />
          <p className="small muted tabular">{t.updates.downloaded(byteSize(doneBytes), byteSize(totalBytes))}</p>
        </>
      )}
    </div>
  )
}

function Offered({ offered, mayChange }: { offered: NonNullable<UpdateStateDto['offered']>; mayChange: boolean }) {
  const { version, notes, signedAt, bytes, problem } = offered
  const install = useUpdateChange(() => api.updates.install({ body: { version } }))
  return (
    <div className={classes.update} role="group" aria-label={t.updates.offered(version)}>
      <p>
        <strong>{t.updates.offered(version)}</strong>{' '}
        <span className="muted">
          {t.updates.signed} <RelativeTime at={signedAt} />
          {bytes !== null && `, ${t.updates.size(byteSize(bytes))}`}
        </span>
      </p>
      {notes.trim() !== '' && (
        <details>
          <summary>{t.updates.notes}</summary>
          <div className={classes.notes}>
            <Markdown text={notes} />
          </div>
        </details>
      )}
      {problem !== null && <p className="wrap-anywhere">{problem}</p>}
      {mayChange && problem === null && (
        <div className={classes.actions}>
          <AskButton
            label={t.updates.install(version)}
            title={t.updates.installTitle(version)}
            button={{ variant: 'filled' }}
            onConfirm={() => install.mutateAsync()}
          >
            {t.updates.installText} {desktop && t.updates.installDesktop}
          </AskButton>
        </div>
      )}
    </div>
  )
}

function WayBack({ previous }: { previous: NonNullable<UpdateStateDto['previous']> }) {
  const back = useUpdateChange(() => api.updates.back({}))
  const { version, replacedAt, isDataRestored } = previous
  return (
    <AskButton
      label={t.updates.back(version)}
      title={t.updates.backTitle(version)}
      onConfirm={() => back.mutateAsync()}
    >
      {isDataRestored ? t.updates.backRestores(calendarDay(Date.parse(replacedAt))) : t.updates.backKeepsData}
    </AskButton>
  )
}

const Outcome = ({ run }: { run: UpdateRunDto & { outcome: NonNullable<UpdateRunDto['outcome']> } }) => (
  <>
    {t.updates.outcomes[run.outcome](run.fromVersion, run.toVersion)}{' '}
    {run.reason !== null && <span className="wrap-anywhere">{visibleName(run.reason)} </span>}
    {run.isDataRestored && `${t.updates.restored} `}
    <span className="muted">
      <RelativeTime at={run.endedAt ?? run.startedAt} /> {visibleName(t.updates.by(run.byName))}
    </span>
  </>
)

const isEnded = (run: UpdateRunDto): run is UpdateRunDto & { outcome: NonNullable<UpdateRunDto['outcome']> } =>
  run.outcome !== null

function Runs({ runs }: { runs: readonly UpdateRunDto[] }) {
  const [last, ...earlier] = runs.filter(isEnded)
  return (
    <>
      {last &&
        (last.outcome === 'failed' ? (
          <Alert color="danger" mt="sm" role="status">
            <Outcome run={last} />
          </Alert>
        ) : (
          <p className={classes.update}>
            <Outcome run={last} />
          </p>
        ))}
      {earlier.length > 0 && (
        <details>
          <summary>{t.updates.history}</summary>
          <ul className="bullets">
            {earlier.map((run) => (
              <li key={run.startedAt}>
                <Outcome run={run} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Feed({ state }: { state: UpdateStateDto }) {
  const { feed, problem, offered, checkedAt } = state
  return (
    <>
      {problem !== null && (
        <Alert color="warning" mt="sm">
          {visibleName(problem)}
        </Alert>
      )}
      <p className="muted">
        {feed === null && problem === null && t.updates.noFeed}
        {feed !== null && offered === null && problem === null && checkedAt !== null && `${t.updates.newest} `}
        {feed !== null && checkedAt !== null && (
          <>
            {t.updates.checked} <RelativeTime at={checkedAt} />
          </>
        )}
      </p>
    </>
  )
}

/** Replaces the key that signs agents, for example after somebody read the data folder. */
function ReleaseKey() {
  const [isDone, setIsDone] = useState(false)
  return (
    <div className={classes.actions}>
      <AskButton
        label={t.updates.rotateKey}
        title={t.updates.rotateKey}
        onConfirm={() => api.agentReleases.rotateKey({})}
        onConfirmed={() => setIsDone(true)}
      >
        {t.updates.rotateKeyHint}
      </AskButton>
      {isDone && (
        <span className="small muted" role="status">
          {t.updates.keyRotated}
        </span>
      )}
    </div>
  )
}

function Details({ state, isAway }: { state: UpdateStateDto; isAway: boolean }) {
  const { can } = useSession()
  const mayChange = can('server.settings.write')
  const [firstVersion] = useState(state.version)
  const check = useUpdateChange(() => api.updates.check({}))
  const { version, feed, offered, running, previous, runs, rollouts } = state
  return (
    <>
      <p>{t.updates.running(version)}</p>
      {firstVersion !== version && (
        <Alert mt="sm">
          {t.updates.reloadHint(version)}{' '}
          <Button size="compact-sm" onClick={() => location.reload()}>
            {t.updates.reload}
          </Button>
        </Alert>
      )}
      {running ? (
        <Running running={running} isAway={isAway} />
      ) : (
        <>
          <Feed state={state} />
          {offered && <Offered offered={offered} mayChange={mayChange} />}
          <Runs runs={runs} />
          {mayChange && (
            <div className={classes.actions}>
              {feed !== null && (
                <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
                  {t.updates.check}
                </Button>
              )}
              {previous && <WayBack previous={previous} />}
            </div>
          )}
          {check.error && <ProblemAlert error={check.error} />}
        </>
      )}
      {mayChange && <ReleaseKey />}
      {rollouts.map((rollout) => (
        <RolloutState key={rollout.tenantId} rollout={rollout} mayChange={mayChange} isNamed={rollouts.length > 1} />
      ))}
    </>
  )
}

/** Version that runs, what the feed offers, and how agents follow. */
export function VersionSection() {
  const query = useQuery(serverQueries.updates)
  return (
    <section className={classes.section} aria-label={t.updates.title}>
      <h2>{t.updates.title}</h2>
      {query.data ? (
        <Details state={query.data} isAway={query.error !== null} />
      ) : (
        <QueryState query={query} height={80} />
      )}
    </section>
  )
}
