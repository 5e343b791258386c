import { Alert, Button, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import classes from './server-page.module.css'

function useDecommission() {
  return useMutation({
    mutationFn: (serverName: string | null) =>
      api.server.decommission({ body: { isEnabled: serverName !== null, serverName } }),
    onSuccess: (state) => queryClient.setQueryData(serverQueries.decommission.queryKey, state),
  })
}

/** Gives the server up once its name was typed: every agent that reports removes itself. */
export function DecommissionSection() {
  const status = useQuery(serverQueries.decommission)
  const state = useQuery(serverQueries.serverState)
  const [name, setName] = useState('')
  const change = useDecommission()
  if (!status.data || !state.data) {
    return <QueryState query={status.data ? state : status} height={200} />
  }
  const { computer } = state.data
  return (
    <section className={classes.section} aria-label={t.decommission.title}>
      <h2>{t.decommission.title}</h2>
      {status.data.isEnabled ? (
        <>
          <Alert color="danger" my="sm">
            {t.decommission.runs}
          </Alert>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate(null)}>
            {t.decommission.end}
          </Button>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate(name.trim(), { onSuccess: () => setName('') })
          }}
        >
          <Text mb="sm">{t.decommission.hint}</Text>
          <TextInput
            label={t.decommission.name(computer)}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
            maw={420}
            mb="sm"
          />
          <Button type="submit" color="danger" loading={change.isPending} disabled={name.trim() !== computer}>
            {t.decommission.begin}
          </Button>
        </form>
      )}
      {change.error && <ProblemAlert error={change.error} />}
    </section>
  )
}
