import { Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconDownload, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { HealthReportDto } from '../../../shared/dtos/health-report.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { findingPage } from '../../components/finding-pages.ts'
import { TextLink } from '../../components/links.tsx'
import { pageWithRight } from '../../components/no-right.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import card from '../../components/card-page.module.css'
import classes from './health-report-page.module.css'

const icons = { ok: IconCircleCheck, warning: IconAlertTriangle, problem: IconCircleX } as const
const order = { problem: 0, warning: 1, ok: 2 } as const

/** Findings, the worst first. */
function Checks({ checks }: Pick<HealthReportDto, 'checks'>) {
  const { can } = useSession()
  const sorted = checks.toSorted((a, b) => order[a.state] - order[b.state])
  return (
    <ul className={classes.checks} aria-label={t.health.checks}>
      {sorted.map(({ id, title, state, summary, advice }) => {
        const Icon = icons[state]
        const page = state === 'ok' ? undefined : findingPage(id, can)
        return (
          <li key={id} className={classes.check} data-state={state}>
            <Icon size={18} stroke={1.6} role="img" aria-label={t.health.states[state]} />
            <h2>{title}</h2>
            <p className="tabular">{visibleName(summary)}</p>
            {advice !== null && <p className={classes.advice}>{visibleName(advice)}</p>}
            {page && (
              <TextLink to={page.to} className={classes.page!}>
                {page.label}
              </TextLink>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Saves the diagnostics as a file. */
function useDiagnostics() {
  return useMutation({
    mutationFn: () => api.health.diagnostics({}),
    onSuccess(diagnostics) {
      const link = document.createElement('a')
      const text = JSON.stringify(diagnostics, null, 2)
      link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
      link.download = `farhand-diagnostics-${diagnostics.report.at.slice(0, 10)}.json`
      link.click()
      URL.revokeObjectURL(link.href)
    },
  })
}

function Report() {
  const query = useQuery(serverQueries.healthReport)
  const { data, isFetching, refetch } = query
  const diagnostics = useDiagnostics()
  const findings = data?.checks.filter(({ state }) => state !== 'ok').length ?? 0
  return (
    <>
      <PageHead
        title={t.health.title}
        intro={data ? t.health.found(findings, moment(Date.parse(data.at))) : t.health.intro}
        action={
          <Group gap="xs">
            <Button
              variant="default"
              loading={isFetching}
              leftSection={<IconRefresh size={16} stroke={1.6} />}
              onClick={() => void refetch()}
            >
              {t.health.again}
            </Button>
            <Button
              loading={diagnostics.isPending}
              leftSection={<IconDownload size={16} stroke={1.6} />}
              onClick={() => diagnostics.mutate()}
            >
              {t.health.diagnostics}
            </Button>
          </Group>
        }
      />
      <div className={card.content}>
        {diagnostics.error && <ProblemAlert error={diagnostics.error} />}
        {data ? <Checks checks={data.checks} /> : <QueryState query={query} height={320} />}
        <p className="muted small">{t.health.diagnosticsHint}</p>
      </div>
    </>
  )
}

/** Page of what is right and wrong with the server, each with what to do. */
export const Component = pageWithRight(t.health.title, ['server.telemetry.read'], Report)
