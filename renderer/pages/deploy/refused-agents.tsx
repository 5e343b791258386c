import { Alert, Button } from '@mantine/core'
import { IconShieldExclamation } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { en as t } from '../../strings/en.ts'
import classes from './deploy-page.module.css'

/** Lists offered agents that devices reject because a newer one was offered before; can allow the downgrade. */
export function RefusedAgents() {
  const client = useQueryClient()
  const { data: releases = [] } = useQuery(queries.agentReleases)
  const allow = useMutation({
    mutationFn: (build: number) => api.agentReleases.stepBack({ params: { build } }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.agentReleases.queryKey }),
  })
  return releases.map(
    ({ runtime, build, version, newer }) =>
      newer && (
        <Alert
          key={build}
          icon={<IconShieldExclamation size={18} />}
          color="warning"
          title={t.deploy.refused(version, t.deploy.runtimes[runtime])}
        >
          <p className={classes.reason}>{t.deploy.refusedHint(newer.version)}</p>
          <Button
            size="compact-sm"
            variant="default"
            loading={allow.isPending && allow.variables === build}
            onClick={() => allow.mutate(build)}
          >
            {t.deploy.allowBack}
          </Button>
          {allow.error && allow.variables === build && <p role="alert">{problemText(allow.error)}</p>}
        </Alert>
      ),
  )
}
