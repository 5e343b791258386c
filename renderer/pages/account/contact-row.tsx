import { Badge, Button, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ContactMethodDto } from '../../../shared/dtos/contact-method.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { checkProps } from '../../components/field-props.ts'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { exactTime, moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { contactIcons } from './contact-fields.ts'
import { invalidate } from '../../api/query-client.ts'

/** State of the newest notification, or why there is none. */
function LastDelivery({ obstacle, isOn, last }: ContactMethodDto) {
  if (isOn && obstacle) {
    return <span>{t.notifications.obstacles[obstacle]}</span>
  }
  if (!last) {
    return t.notifications.nothingYet
  }
  const { state, at, nextAt, waiting, attempts, status, answer } = last
  const reason = attempts > 0 && state !== 'delivered' ? t.notifications.answer(status, answer) : ''
  return (
    <>
      {t.notifications.states[state]} <RelativeTime at={at} />
      {waiting > 0 && nextAt !== null && (
        <>
          {' · '}
          <span title={exactTime(Date.parse(nextAt))}>
            {t.notifications.waiting(waiting, moment(Date.parse(nextAt)))}
          </span>
        </>
      )}
      {reason !== '' && (
        <>
          {' · '}
          <span className="wrap-anywhere">{visibleName(reason)}</span>
        </>
      )}
    </>
  )
}

/** A contact method: whether it is used, what became of the last notification, a test, and its end. */
export function ContactRow({ method }: { method: ContactMethodDto }) {
  const { id: methodId, service, name, target, isOn } = method
  const reload = () => invalidate(accountQueries.notifications.queryKey)
  const toggle = useMutation({
    mutationFn: (wanted: boolean) => api.notifications.updateMethod({ params: { methodId }, body: { isOn: wanted } }),
    onSettled: reload,
  })
  const test = useMutation({ mutationFn: () => api.notifications.testMethod({ params: { methodId } }) })
  const remove = async () => {
    await api.notifications.removeMethod({ params: { methodId } })
    await reload()
  }
  const label = name || t.notifications.services[service]
  const Sign = contactIcons[service]
  const problem = toggle.error ?? test.error
  return (
    <li className={classes.row}>
      <Sign size={18} stroke={1.6} aria-hidden />
      <div className={classes.rowText}>
        <span>
          <strong className="wrap-anywhere">{label}</strong>{' '}
          {name !== '' && (
            <Badge size="xs" variant="default">
              {t.notifications.services[service]}
            </Badge>
          )}
        </span>
        <span className="muted small">
          <span className="wrap-anywhere">{target}</span>
          {' · '}
          <LastDelivery {...method} />
        </span>
        <span className="small" role="status">
          {test.data && visibleName(t.notifications.tested(test.data))}
        </span>
        {problem && <ProblemAlert error={problem} />}
      </div>
      <Switch
        aria-label={t.notifications.use(label)}
        disabled={toggle.isPending}
        {...checkProps(toggle.isPending ? toggle.variables : isOn, (wanted) => toggle.mutate(wanted))}
      />
      <div className={classes.methodActions}>
        <Button
          variant="default"
          size="xs"
          loading={test.isPending}
          aria-label={t.notifications.testOne(label)}
          onClick={() => test.mutate()}
        >
          {t.notifications.test}
        </Button>
        {service !== 'mail' && (
          <AskButton
            label={t.notifications.remove}
            title={t.notifications.removeTitle}
            confirm={t.notifications.removeOne(label)}
            button={{ size: 'xs', 'aria-label': t.notifications.removeOne(label) }}
            onConfirm={remove}
          >
            <span className="wrap-anywhere">{t.notifications.removeHint(label)}</span>
          </AskButton>
        )}
      </div>
    </li>
  )
}
