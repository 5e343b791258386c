import { Alert, Button } from '@mantine/core'
import { IconShieldCheck, IconShieldQuestion, IconShieldX } from '@tabler/icons-react'
import { useMutation, type UseQueryResult } from '@tanstack/react-query'
import type { AuditChainDto } from '../../../shared/dtos/audit-event.ts'
import { api } from '../../api/http.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import { auditQueries } from './audit-queries.ts'
import { queryClient } from '../../api/query-client.ts'
import classes from './audit.module.css'

/** Whether the log is unchanged, and when that was checked. */
export function ChainLine({ chain: { data, error, refetch } }: { chain: UseQueryResult<AuditChainDto> }) {
  const check = useMutation({
    mutationFn: () => api.auditLog.verify({}),
    onSuccess: (result) => queryClient.setQueryData(auditQueries.chain.queryKey, result),
  })
  if (error && !data) {
    return (
      <div className={classes.chain}>
        <ProblemAlert error={error} title={t.audit.chain.stateFailed} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (!data) {
    return <div className={classes.chain} />
  }
  const { holds, checkedAt, problem, isOfServer, rows, firstAt, lostAt, removed } = data
  const checked = checkedAt !== null && (
    <>
      {t.audit.chain.checked} <RelativeTime at={checkedAt} />
    </>
  )
  const again = isOfServer && (
    <Button
      variant="subtle"
      size="compact-xs"
      aria-busy={check.isPending}
      onClick={() => check.isPending || check.mutate()}
    >
      {t.audit.chain.check}
    </Button>
  )
  const Sign = holds ? IconShieldCheck : IconShieldQuestion
  return (
    <section className={classes.chain} aria-label={t.audit.chain.label}>
      {holds === false ? (
        <Alert color="danger" role="alert" title={t.audit.chain.broken} icon={<IconShieldX size={18} />}>
          <p>
            {problem} ({checked})
          </p>
          <p>{isOfServer ? t.audit.chain.next : t.audit.chain.ask}</p>
          {again}
        </Alert>
      ) : (
        <p className={classes.holds} role="status">
          <Sign size={16} stroke={1.6} aria-hidden data-holds={holds ?? undefined} />
          {check.isPending ? (
            t.audit.chain.checking
          ) : holds ? (
            <span>
              {t.audit.chain.unbroken(rows, firstAt, removed)}, {checked}
              {lostAt !== null && `. ${t.audit.chain.lost(lostAt)}`}
            </span>
          ) : (
            t.audit.chain.unchecked
          )}
          {again}
        </p>
      )}
      {check.error && <ProblemAlert error={check.error} title={t.audit.chain.checkFailed} />}
    </section>
  )
}
