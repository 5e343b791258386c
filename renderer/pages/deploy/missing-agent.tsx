import { Alert, Button } from '@mantine/core'
import { IconPackage, IconPackageOff } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AgentBuildDto, BuildableRuntime } from '../../../shared/dtos/agent-build.ts'
import type { RuntimeId } from '../../../shared/dtos/agent-bundle.ts'
import { api } from '../../api/http.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { ProgressBar } from '../../components/progress-bar.tsx'
import * as t from '../../texts.ts'
import classes from './deploy-page.module.css'

const refreshMs = 1_000

const commandFor = (runtime: RuntimeId) => `npm run agents -- ${runtime}`

/** Progress of a build, as a bar and as text for screen readers. */
function BuildProgress({ build, name }: { build: AgentBuildDto; name: string }) {
  const part = build.steps === 0 ? 0 : (build.step - 0.5) / build.steps
  return (
    <div className={classes.building}>
      <strong>{t.deploy.building(name)}</strong>
      <ProgressBar done={Math.max(0, part)} animated size="sm" label={t.deploy.building(name)} />
      <p className="small muted tabular" role="status">
        {build.steps === 0 ? t.deploy.buildStarts : t.deploy.buildStep(build.step, build.steps, build.text)}
      </p>
    </div>
  )
}

/** Offers to build the agent on the server and shows the progress; afterwards the page shows the command. */
function BuildAgent({ runtime, name }: { runtime: BuildableRuntime; name: string }) {
  const { data: build, error } = useQuery({
    ...deployQueries.agentBuild,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? refreshMs : false),
  })
  const start = useMutation({
    mutationFn: () => api.agentBuilds.start({ body: { runtime } }),
    onSettled: () => invalidate(deployQueries.agentBuild.queryKey),
  })
  const isDone = build?.state === 'done'
  useEffect(() => {
    if (isDone) {
      void invalidate(deployQueries.deployment.queryKey)
    }
  }, [isDone, build?.startedAt])

  if (build?.state === 'running') {
    const isThis = build.runtime === runtime
    return (
      <>
        <BuildProgress build={build} name={t.deploy.runtimes[build.runtime]} />
        {!isThis && <p className="small muted">{t.deploy.buildAfter(name)}</p>}
      </>
    )
  }
  const failure = build?.state === 'failed' && build.runtime === runtime ? build.text : undefined
  return (
    <Alert
      icon={<IconPackage size={18} />}
      color={failure === undefined ? 'gray' : 'danger'}
      title={failure === undefined ? t.deploy.notBuilt(name) : t.deploy.buildFailed(name)}
      role={failure === undefined ? undefined : 'alert'}
    >
      <p className={classes.reason}>{failure ?? t.deploy.notBuiltHint}</p>
      <div className={classes.fields} style={{ alignItems: 'center' }}>
        <Button size="compact-sm" loading={start.isPending} onClick={() => start.mutate()}>
          {failure === undefined ? t.deploy.build : t.common.retry}
        </Button>
        <span className="small muted">
          {t.deploy.orRun} <code>{commandFor(runtime)}</code>
        </span>
      </div>
      {(start.error ?? error) && <ProblemAlert error={start.error ?? error} />}
    </Alert>
  )
}

interface MissingAgentProps {
  runtime: RuntimeId
  /** Whether the server has the tools to build agents. */
  canBuild: boolean
}

/** Explains why there is no command for a system, and how to get one. */
export function MissingAgent({ runtime, canBuild }: MissingAgentProps) {
  const { can } = useSession()
  const name = t.deploy.runtimes[runtime]
  if (runtime === 'win-x86') {
    return (
      <Alert icon={<IconPackageOff size={18} />} color="gray" title={t.deploy.noAgent(name)}>
        {t.deploy.no32Bit}
      </Alert>
    )
  }
  if (canBuild && can('server.settings.write')) {
    return <BuildAgent key={runtime} runtime={runtime} name={name} />
  }
  return (
    <Alert icon={<IconPackageOff size={18} />} color="gray" title={t.deploy.noInstaller(name)}>
      {canBuild ? t.deploy.askAdministrator : t.deploy.buildElsewhere} <code>{commandFor(runtime)}</code>
      {canBuild ? '.' : t.deploy.buildElsewhereAfter(runtime)}
    </Alert>
  )
}
