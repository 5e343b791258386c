import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookDeliveryDto } from '../../../../shared/api/appliance-webhooks.ts'
import { api } from '../../../api/http.ts'
import { PaneSection } from '../../../components/list-kit/side-pane.tsx'
import { problemText } from '../../../components/problem-alert.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import * as t from '../../../texts.ts'
import { moment } from '../../../text/format.ts'
import { visibleName } from '../../../text/visible-name.ts'
import { DeliveryMark } from './delivery-mark.tsx'
import { webhookQueries } from './webhook-queries.ts'
import { deliveryState } from './webhook-state.ts'
import { invalidate } from '../../../api/query-client.ts'
import classes from './webhooks.module.css'

/** Rows before "show all". */
const fewRows = 10

interface DeliveryRowProps {
  delivery: WebhookDeliveryDto
  isResending: boolean
  onResend: () => void
}

function DeliveryRow({ delivery, isResending, onResend }: DeliveryRowProps) {
  const { type, attempts, status, answer, nextAt, lastAt, createdAt, state } = delivery
  return (
    <li className={classes.row}>
      <div className={classes.text}>
        <code>{type}</code>
        <span className={`${classes.facts} small muted`}>
          <DeliveryMark state={deliveryState(delivery)} />
          <RelativeTime at={lastAt ?? createdAt} />
          {status !== null && <span className="tabular">{t.webhooks.status(status)}</span>}
          {attempts > 1 && <span className="tabular">{t.webhooks.attempts(attempts)}</span>}
          {attempts > 0 && nextAt !== null && (
            <span className="tabular">{t.webhooks.next(moment(Date.parse(nextAt)))}</span>
          )}
        </span>
        {state !== 'delivered' && answer && (
          <span className="small">
            {status === null ? visibleName(answer) : t.webhooks.answered(visibleName(answer))}
          </span>
        )}
      </div>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t.webhooks.resendOne(type)}
        disabled={state === 'waiting' && attempts === 0}
        loading={isResending}
        onClick={onResend}
      >
        {t.webhooks.resend}
      </Button>
    </li>
  )
}

/** Log of the deliveries of a webhook; each can be sent again. */
export function DeliveriesSection({ webhookId }: { webhookId: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const query = useQuery(webhookQueries.deliveries(webhookId))
  const resend = useMutation({
    mutationFn: (deliveryId: string) => api.webhooks.resend({ params: { webhookId, deliveryId } }),
    onSuccess: () => notifications.show({ message: t.webhooks.resent }),
    onError: (error) => notifications.show({ message: problemText(error), color: 'danger' }),
    onSettled: () => invalidate(webhookQueries.all),
  })
  const { data: deliveries } = query
  const shown = isWhole ? deliveries : deliveries?.slice(0, fewRows)
  return (
    <PaneSection title={t.webhooks.deliveries} hint={t.webhooks.deliveriesHint}>
      {!deliveries && <QueryState query={query} height={120} />}
      {deliveries?.length === 0 && <p className="muted">{t.webhooks.noDeliveries}</p>}
      {shown && shown.length > 0 && (
        <ul className={classes.list} aria-label={t.webhooks.deliveries}>
          {shown.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              isResending={resend.isPending && resend.variables === delivery.id}
              onResend={() => resend.mutate(delivery.id)}
            />
          ))}
        </ul>
      )}
      {deliveries && shown && shown.length < deliveries.length && (
        <button type="button" className="link-button" onClick={() => setIsWhole(true)}>
          {t.webhooks.showAll(deliveries.length)}
        </button>
      )}
    </PaneSection>
  )
}
