import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, statusOf } from '../../api/http.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'

const mostLength = 500

const titles = {
  none: [t.networkTest.noCode, t.networkTest.noCodeHint],
  pending: [t.networkTest.title, t.networkTest.reporting],
  done: [t.networkTest.done, t.networkTest.doneHint(location.origin)],
  spent: [t.networkTest.spent, t.networkTest.spentHint],
} as const

/** Opened on another device: reports to the server that it was reached. The code is valid once, so it is sent once. */
export function Component() {
  usePageTitle(t.networkTest.title)
  const [code] = useState(() => location.hash.slice(1))
  const { isSuccess, error } = useQuery({
    queryKey: ['network-test', code],
    queryFn: async () => {
      const browser = navigator.userAgent.slice(0, mostLength)
      await api.networkVisitor.reportVisit({ body: { code, address: location.origin, browser } })
      return true
    },
    enabled: code !== '',
    staleTime: Infinity,
    retry: false,
  })
  const isSpent = statusOf(error) === 404
  const [title, hint] = titles[code === '' ? 'none' : isSpent ? 'spent' : isSuccess ? 'done' : 'pending']
  return (
    <VisitorCard title={title} intro={error && !isSpent ? undefined : hint}>
      <div role="status">
        {error && !isSpent && <ProblemAlert error={error} />}
        {isSuccess && <p>{t.networkTest.close}</p>}
      </div>
      {location.protocol === 'https:' && <Anchor href="/trust">{t.networkTest.trust}</Anchor>}
    </VisitorCard>
  )
}
