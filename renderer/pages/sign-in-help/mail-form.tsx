import { Alert, Button, Stack } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/http.ts'
import { EmailField } from '../../components/email-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { en as t } from '../../strings/en.ts'
import { submitHandler } from '../../components/request-form.tsx'

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
export function MailForm({ kind, email, onChange }: MailFormProps) {
  const { send, submit, sent } = kinds[kind]
  const request = useMutation({ mutationFn: () => send(email) })
  return (
    <form onSubmit={submitHandler(() => request.mutate())}>
      <Stack>
        <EmailField
          autoFocus={kind === 'reset'}
          value={email}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
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
