import { Accordion, Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { queries } from '../../api/queries.ts'
import { FirstLoad, ServerSilent } from '../../components/page-crash.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { en as t } from '../../strings/en.ts'
import { AskForHelp } from './ask-for-help.tsx'
import { ClockHelp } from './clock-help.tsx'
import { MailForm } from './mail-form.tsx'

/** Ways back in, by what happened. The answers are the same for every address. */
export function Component() {
  usePageTitle(t.signInHelp.title)
  const { data: help, failureCount } = useQuery(queries.signInHelp)
  const state = useLocation().state as { email?: string } | null
  const [email, setEmail] = useState(state?.email ?? '')
  if (!help) {
    return failureCount > 0 ? <ServerSilent /> : <FirstLoad />
  }
  const mail = { email, onChange: setEmail }
  const sections = {
    forgotten: help.sendsMail ? (
      <MailForm {...mail} kind="reset" />
    ) : (
      <Stack gap="sm">
        <Text>{t.signInHelp.noMail}</Text>
        <AskForHelp help={help} command="reset-password" email={email} ask={t.signInHelp.askAdministrator} />
      </Stack>
    ),
    phoneGone: (
      <Stack gap="sm">
        <Text>{t.signInHelp.recoveryCode}</Text>
        <AskForHelp help={help} command="disable-two-factor" email={email} ask={t.signInHelp.withoutRecoveryCode} />
      </Stack>
    ),
    codesRejected: <ClockHelp help={help} />,
    unconfirmed: help.sendsMail ? (
      <Stack gap="sm">
        <Text>{t.signInHelp.unconfirmedHint}</Text>
        <MailForm {...mail} kind="confirmation" />
      </Stack>
    ) : (
      <AskForHelp help={help} command="reset-password" email={email} ask={t.signInHelp.unconfirmedWithoutMail} />
    ),
    locked: t.signInHelp.lockedHint,
    provider: t.signInHelp.providerHint,
  } as const
  return (
    <VisitorCard title={t.signInHelp.title} intro={t.signInHelp.intro} isWide>
      <Accordion defaultValue="forgotten" order={2} keepMounted={false}>
        {Object.entries(sections).map(([name, content]) => (
          <Accordion.Item key={name} value={name}>
            <Accordion.Control>{t.signInHelp[name as keyof typeof sections]}</Accordion.Control>
            <Accordion.Panel>{content}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      <Anchor component={Link} to="/sign-in" mt="md" display="block">
        {t.signInHelp.back}
      </Anchor>
    </VisitorCard>
  )
}
