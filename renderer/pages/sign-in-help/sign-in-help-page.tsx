import { Alert, Anchor, Button, Stack } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/http.ts'
import { EmailField } from '../../components/email-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { en as t } from '../../strings/en.ts'

/** Asks for a mail with a reset link. The answer is the same for every address. */
export function Component() {
  usePageTitle(t.passwordReset.requestTitle)
  const [email, setEmail] = useState('')
  const request = useMutation({ mutationFn: () => api.session.requestPasswordReset({ body: { email } }) })
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    request.mutate()
  }
  return (
    <VisitorCard title={t.passwordReset.requestTitle} intro={t.passwordReset.requestIntro}>
      <form onSubmit={handleSubmit}>
        <Stack>
          <EmailField autoFocus value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
          {request.isSuccess && (
            <Alert icon={<IconMail size={18} />} title={t.passwordReset.requestedTitle} role="status">
              {t.passwordReset.requested}
            </Alert>
          )}
          {request.error && <ProblemAlert error={request.error} />}
          <Button type="submit" loading={request.isPending} fullWidth>
            {t.passwordReset.request}
          </Button>
          <Anchor component={Link} to="/sign-in" ta="center">
            {t.passwordReset.back}
          </Anchor>
        </Stack>
      </form>
    </VisitorCard>
  )
}
