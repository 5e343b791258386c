import { Stack, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NotificationChoicesDto } from '../../../shared/api/appliance-notifications.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { checkProps } from '../../components/field-props.ts'
import { FormButton } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { ContactForm } from './contact-form.tsx'
import { ContactRow } from './contact-row.tsx'
import { QuietHours } from './quiet-hours.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Section } from './section.tsx'
import { useChoices } from './use-choices.ts'

/** Whether this browser shows notifications: it asks the person once, and pages without TLS may not ask. */
const nativePermission = () => ('Notification' in window ? Notification.permission : 'denied')

function NativeNotifications({ choices }: { choices: NotificationChoicesDto }) {
  const save = useChoices(choices)
  const [permission, setPermission] = useState(nativePermission)
  const toggle = async (isNativeOn: boolean) => {
    if (isNativeOn && permission === 'default') {
      setPermission(await Notification.requestPermission())
    }
    save.mutate({ isNativeOn })
  }
  const isOn = save.isPending ? (save.variables.isNativeOn ?? choices.isNativeOn) : choices.isNativeOn
  return (
    <div>
      <Switch
        label={t.notifications.native}
        description={isOn && permission === 'denied' ? t.notifications.nativeBlocked : t.notifications.nativeHint}
        disabled={save.isPending}
        {...checkProps(isOn, (wanted) => void toggle(wanted))}
      />
      {save.error && <ProblemAlert error={save.error} />}
    </div>
  )
}

function Choices({ choices }: { choices: NotificationChoicesDto }) {
  return (
    <>
      <ul className={classes.list} aria-label={t.notifications.methods}>
        {choices.methods.map((method) => (
          <ContactRow key={method.id} method={method} />
        ))}
      </ul>
      <FormButton label={t.notifications.add} button={{ mb: 8 }}>
        {(close) => <ContactForm onDone={close} />}
      </FormButton>
      <Stack gap={16} mt={8}>
        <NativeNotifications choices={choices} />
        <QuietHours choices={choices} />
      </Stack>
    </>
  )
}

/** How the person is told of alerts. */
export function NotificationsSection() {
  const query = useQuery(accountQueries.notifications)
  return (
    <Section id="notifications" title={t.notifications.title} hint={t.notifications.hint}>
      {query.data ? <Choices choices={query.data} /> : <QueryState query={query} height={88} />}
    </Section>
  )
}
