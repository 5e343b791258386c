import { Accordion, Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { IconMail } from '@tabler/icons-react'
import { TextLink } from '../../../components/links.tsx'
import { textProps } from '../../../components/field-props.ts'
import { signInQueries } from '../../../api/sign-in-queries.ts'
import { FirstLoad, ServerSilent } from '../../../components/page-state.tsx'
import { VisitorCard } from '../../../components/visitor-card.tsx'
import { usePageTitle } from '../../../hooks/use-page-title.ts'
import * as t from '../../../texts.ts'
import type { SignInHelpDto } from '../../../../shared/api/appliance-entry.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import classes from '../../../components/command.module.css'
import { useSeconds } from '../../../hooks/use-now.ts'
import { timeWithSeconds } from '../../../text/format.ts'
import { api } from '../../../api/http.ts'
import { EmailField } from '../../../components/email-field.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { submitHandler } from '../../../components/request-form.tsx'

interface AskForHelpProps {
  help: SignInHelpDto
  command: 'reset-password' | 'disable-two-factor'
  email: string
  /** Sentence that names the person to ask, and for what. */
  ask: string
}

/** An address that is safe to paste into any shell; others are replaced by an example. */
const shellSafe = (email: string) => (/^[\w.+-]+@[\w.-]+$/.test(email) ? email : 'you@example.com')

/** Names the people who can help, with the command for an only administrator. */
function AskForHelp({ help, command, email, ask }: AskForHelpProps) {
  const line = `${help.command} ${command} ${shellSafe(email)}`
  return (
    <div>
      <Text>{ask}</Text>
      <Text mt="sm">
        {t.signInHelp.onlyAdministrator} {help.hasWindow && t.signInHelp.inWindow}{' '}
        {help.hasWindow ? t.signInHelp.orCommand : t.signInHelp.command}
      </Text>
      <Group align="center" wrap="nowrap" mt="xs">
        <pre className={classes.command} tabIndex={0} aria-label={t.common.command} style={{ flex: 1 }}>
          {line}
        </pre>
        <CopyButton text={line} />
      </Group>
    </div>
  )
}

/** Seconds by which a clock makes codes invalid. */
const tolerance = 30

/** Shows the clock of the server, and says when the clock of this computer differs. */
function ClockHelp({ help }: { help: SignInHelpDto }) {
  const [aheadMs] = useState(() => Date.parse(help.now) - Date.now())
  const now = useSeconds()
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  return (
    <div>
      <Text>{t.signInHelp.codesHint}</Text>
      <Text mt="sm" className="tabular">
        {t.signInHelp.serverClock(timeWithSeconds(now + aheadMs))}
      </Text>
      {seconds > tolerance && <Text mt="sm">{t.signInHelp.clockDiffers(seconds)}</Text>}
    </div>
  )
}

const kinds = {
  reset: {
    send: (email: string) => api.session.requestPasswordReset({ body: { email } }),
    submit: t.signInHelp.sendReset,
    sent: t.signInHelp.sentReset,
  },
  confirmation: {
    send: (email: string) => api.entry.resendConfirmation({ body: { email } }),
    submit: t.signInHelp.sendConfirmation,
    sent: t.signInHelp.sentConfirmation,
  },
}

interface MailFormProps {
  kind: keyof typeof kinds
  email: string
  onChange: (email: string) => void
}

/** Asks for a mail with a link. */
function MailForm({ kind, email, onChange }: MailFormProps) {
  const { send, submit, sent } = kinds[kind]
  const request = useMutation({ mutationFn: () => send(email) })
  return (
    <form onSubmit={submitHandler(() => request.mutate())}>
      <Stack>
        <EmailField autoFocus={kind === 'reset'} {...textProps(email, onChange)} />
        {request.isSuccess && (
          <Alert icon={<IconMail size={18} />} title={t.signInHelp.sentTitle} role="status">
            {sent}
          </Alert>
        )}
        {request.error && <ProblemAlert error={request.error} />}
        <Button type="submit" loading={request.isPending} style={{ alignSelf: 'flex-start' }}>
          {submit}
        </Button>
      </Stack>
    </form>
  )
}

/** Ways back in, by what happened. The answers are the same for every address. */
export function Component() {
  usePageTitle(t.signInHelp.title)
  const { data: help, failureCount } = useQuery(signInQueries.help)
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
      <TextLink to="/sign-in" mt="md" display="block">
        {t.signInHelp.back}
      </TextLink>
    </VisitorCard>
  )
}
