import { Button, Checkbox, NativeSelect, Switch, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { checkProps, textProps } from '../../components/field-props.ts'
import type { ServerAlertResponseDto } from '../../../shared/dtos/server-alert.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ServerNoticeLine } from '../../components/server-notice-line.tsx'
import * as t from '../../texts.ts'
import classes from './server-page.module.css'
import { submitHandler } from '../../components/request-form.tsx'

const mostLength = 500
type Severity = ServerAlertResponseDto['severity']
const severities = ([0, 1, 2, 3] as const).map((value) => ({ value: String(value), label: t.server.severities[value] }))

function Editor({ stored }: { stored: ServerAlertResponseDto }) {
  const [changes, setChanges] = useState<Partial<ServerAlertResponseDto>>({})
  const { id: _id, ...alert } = { ...stored, ...changes }
  const save = useMutation({
    mutationFn: () => api.serverAlert.set({ body: { ...alert, message: alert.message.trim() } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(serverQueries.serverAlert.queryKey, saved)
      setChanges({})
    },
  })
  const change = (more: Partial<ServerAlertResponseDto>) => setChanges((before) => ({ ...before, ...more }))
  const isChanged = Object.entries(changes).some(([name, value]) => stored[name as keyof typeof stored] !== value)
  const isEmpty = alert.message.trim() === ''
  const handleSubmit = submitHandler(() => {
    if (isChanged && !(alert.isEnabled && isEmpty)) {
      save.mutate()
    }
  })
  return (
    <form onSubmit={handleSubmit}>
      <Textarea
        label={t.server.noticeText}
        description={t.server.noticeLeft(mostLength - alert.message.length)}
        maxLength={mostLength}
        autosize
        minRows={2}
        maxRows={6}
        {...textProps(alert.message, (message) => change({ message }))}
      />
      <div className={`field-row ${classes.choices}`}>
        <NativeSelect
          label={t.server.severity}
          data={severities}
          value={String(alert.severity)}
          onChange={(event) => change({ severity: Number(event.currentTarget.value) as Severity })}
        />
        <Checkbox
          label={t.server.dismissable}
          {...checkProps(alert.isDismissable, (isDismissable) => change({ isDismissable }))}
        />
        <Checkbox
          label={t.server.sticky}
          disabled={!alert.isDismissable}
          {...checkProps(alert.isSticky, (isSticky) => change({ isSticky }))}
        />
      </div>
      <Switch label={t.server.shown} mt="sm" {...checkProps(alert.isEnabled, (isEnabled) => change({ isEnabled }))} />
      {!isEmpty && isChanged && (
        <div className={classes.preview} role="group" aria-label={t.server.preview}>
          <ServerNoticeLine message={alert.message} severity={alert.severity} />
        </div>
      )}
      {save.error && <ProblemAlert error={save.error} />}
      <div className={classes.actions}>
        <Button type="submit" loading={save.isPending} disabled={!isChanged || (alert.isEnabled && isEmpty)}>
          {t.server.save}
        </Button>
        {isChanged && (
          <Button variant="default" onClick={() => setChanges({})}>
            {t.server.discard}
          </Button>
        )}
        <span className="small muted" role="status">
          {stored.isEnabled ? t.server.noticeShown : t.server.noticeHidden}
        </span>
      </div>
    </form>
  )
}

/** The notice at the top of every page. */
export function NoticeSection() {
  const query = useQuery(serverQueries.serverAlert)
  return (
    <section className={classes.section} id="notice" aria-label={t.server.notice}>
      <h2>{t.server.notice}</h2>
      <p className="muted">{t.server.noticeHint}</p>
      {query.data ? <Editor stored={query.data} /> : <QueryState query={query} height={160} />}
    </section>
  )
}
