import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { AgentRolloutDto } from '../../../shared/dtos/update.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './server-page.module.css'

interface Props {
  rollout: AgentRolloutDto
  mayChange: boolean
  /** Whether the tenant is named: more than one has devices that follow. */
  isNamed: boolean
}

/** How a new version of the agent reaches the devices of a tenant, ring by ring. */
export function RolloutState({ rollout, mayChange, isNamed }: Props) {
  const resume = useMutation({
    mutationFn: () => api.updates.resumeRollout({}),
    onSuccess: (state) => queryClient.setQueryData(serverQueries.updates.queryKey, state),
  })
  const { tenantName, version, ring, state, reason, counts, failures } = rollout
  const title = isNamed ? t.updates.rolloutOf(visibleName(tenantName)) : t.updates.rollout
  const sentence = t.updates.rollouts[state](version, t.updates.rings[ring] ?? '')
  return (
    <div className={classes.update} role="group" aria-label={title}>
      <h3>{title}</h3>
      {state === 'stopped' ? (
        <Alert color="warning" my="xs">
          {sentence} {reason !== null && visibleName(reason)}
        </Alert>
      ) : (
        <p>{sentence}</p>
      )}
      <p className="muted tabular">{t.updates.counts(counts)}</p>
      {failures.length > 0 && (
        <details>
          <summary>{t.updates.failures}</summary>
          <ul className="bullets">
            {failures.map(({ deviceId, name, reason: why }) => (
              <li key={deviceId}>
                <Link to={`/devices/${deviceId}`}>{visibleName(name)}</Link>{' '}
                <span className="wrap-anywhere">{visibleName(why)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {mayChange && state === 'stopped' && (
        <div className={classes.actions}>
          <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
            {t.updates.resume}
          </Button>
        </div>
      )}
      {resume.error && <ProblemAlert error={resume.error} />}
    </div>
  )
}
