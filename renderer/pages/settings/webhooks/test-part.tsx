import { Alert, Button } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../../api/http.ts'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import * as t from '../../../texts.ts'
import { visibleName } from '../../../text/visible-name.ts'
import { webhookQueries } from './webhook-queries.ts'
import { invalidate } from '../../../api/query-client.ts'
import classes from './webhooks.module.css'

/** Button that sends a test event, and what came back. */
export function TestPart({ webhookId }: { webhookId: string }) {
  const test = useMutation({
    mutationFn: () => api.webhooks.test({ params: { webhookId } }),
    onSettled: () => invalidate(webhookQueries.all),
  })
  const { data: outcome } = test
  const sentence = () => {
    if (!outcome || outcome.status === null) {
      return t.webhooks.testFailed
    }
    const { isDelivered, status, milliseconds } = outcome
    return isDelivered ? t.webhooks.testDelivered(status, milliseconds) : t.webhooks.testRejected(status, milliseconds)
  }
  return (
    <>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        {t.webhooks.test}
      </Button>
      {test.error && (
        <div className={classes.outcome}>
          <ProblemAlert error={test.error} />
        </div>
      )}
      {outcome && !test.isPending && (
        <Alert
          className={classes.outcome}
          role={outcome.isDelivered ? 'status' : 'alert'}
          color={outcome.isDelivered ? 'gray' : 'danger'}
          icon={outcome.isDelivered ? <IconCheck size={18} /> : <IconX size={18} />}
          title={sentence()}
        >
          {outcome.answer !== '' && (
            <pre className={classes.answer} aria-label={t.webhooks.answer}>
              {visibleName(outcome.answer)}
            </pre>
          )}
        </Alert>
      )}
    </>
  )
}
