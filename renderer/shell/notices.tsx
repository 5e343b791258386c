import { Button } from '@mantine/core'
import { IconUserExclamation } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NoticeDto } from '../../shared/api/appliance-notices.ts'
import { api } from '../api/http.ts'
import { accountQueries } from '../api/account-queries.ts'
import { invalidate } from '../api/query-client.ts'
import * as t from '../texts.ts'
import { exactTime, moment } from '../text/format.ts'
import { problemText } from '../components/problem-alert.tsx'
import classes from './notices.module.css'

type Line = Pick<NoticeDto, 'kind' | 'createdAt'> & { count: number }

/** Sentences of notices, newest first; equal ones count together and carry the newest time. */
function linesOf(notices: readonly NoticeDto[]): [string, Line][] {
  const lines = new Map<string, Line>()
  for (const { kind, byName, subject, createdAt } of notices) {
    const text = t.notices[kind](byName, subject ?? '')
    const line = lines.get(text)
    lines.set(text, { kind, count: (line?.count ?? 0) + 1, createdAt: line?.createdAt ?? createdAt })
  }
  return [...lines]
}

/** The newest sentence of each kind, so that many of one kind hide no other; all where they are few. */
const shortList = (lines: [string, Line][]) =>
  lines.length <= 3
    ? lines
    : lines.filter(([, { kind }], index) => lines.findIndex(([, line]) => line.kind === kind) === index)

/** Changes of the account by others and in other sessions, until dismissed. */
export function Notices() {
  const [isWhole, setIsWhole] = useState(false)
  const { data: notices = [] } = useQuery(accountQueries.notices)
  const dismiss = useMutation({
    mutationFn: () => api.notices.dismiss({ body: { noticeIds: notices.map(({ id }) => id) } }),
    onSuccess: () => invalidate(accountQueries.notices.queryKey),
  })
  const handleDismiss = () => dismiss.mutate(undefined, { onSuccess: () => document.getElementById('page')?.focus() })
  const all = linesOf(notices)
  const lines = isWhole ? all : shortList(all)
  const hidden = all.length - lines.length
  if (notices.length === 0) {
    return null
  }
  return (
    <section className={classes.notices} aria-label={t.notices.title}>
      <IconUserExclamation size={18} stroke={1.6} aria-hidden />
      {/* Browsers scroll a long list by key only if it can have the focus. */}
      <ul tabIndex={0}>
        {lines.map(([text, { count, createdAt }]) => (
          <li key={text}>
            {text} {count > 1 && <span className="muted small">{t.notices.times(count)}</span>}{' '}
            <time dateTime={createdAt} title={exactTime(Date.parse(createdAt))}>
              {moment(Date.parse(createdAt))}
            </time>
          </li>
        ))}
        {hidden > 0 && (
          <li>
            <button type="button" className="link-button" onClick={() => setIsWhole(true)}>
              {t.notices.more(hidden)}
            </button>
          </li>
        )}
        {dismiss.error && <li role="alert">{problemText(dismiss.error)}</li>}
      </ul>
      <Button variant="default" size="xs" loading={dismiss.isPending} onClick={handleDismiss}>
        {t.notices.dismiss}
      </Button>
    </section>
  )
}
