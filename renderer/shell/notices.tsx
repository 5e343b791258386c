import { Button } from '@mantine/core'
import { IconUserExclamation } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/http.ts'
import { queries } from '../api/queries.ts'
import { en as t } from '../strings/en.ts'
import { exactTime, moment } from '../strings/format.ts'
import { problemText } from '../components/problem-alert.tsx'
import classes from './notices.module.css'

/** Actions that others did on behalf of the user, until dismissed. */
export function Notices() {
  const client = useQueryClient()
  const { data: notices = [] } = useQuery(queries.notices)
  const dismiss = useMutation({
    mutationFn: () => api.notices.dismiss({ body: { noticeIds: notices.map(({ id }) => id) } }),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.notices.queryKey }),
  })
  const handleDismiss = () => dismiss.mutate(undefined, { onSuccess: () => document.getElementById('page')?.focus() })
  if (notices.length === 0) {
    return null
  }
  return (
    <section className={classes.notices} aria-label={t.notices.title}>
      <IconUserExclamation size={18} stroke={1.6} aria-hidden />
      {/* Browsers scroll a long list by key only if it can have the focus. */}
      <ul tabIndex={0}>
        {notices.map(({ id, kind, byName, subject, createdAt }) => (
          <li key={id}>
            {t.notices[kind](byName, subject ?? '')}{' '}
            <time dateTime={createdAt} title={exactTime(Date.parse(createdAt))}>
              {moment(Date.parse(createdAt))}
            </time>
          </li>
        ))}
        {dismiss.error && <li role="alert">{problemText(dismiss.error)}</li>}
      </ul>
      <Button variant="default" size="xs" loading={dismiss.isPending} onClick={handleDismiss}>
        {t.notices.dismiss}
      </Button>
    </section>
  )
}
