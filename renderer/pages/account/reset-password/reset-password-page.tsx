import { Alert } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconAlertCircle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { TextLink } from '../../../components/links.tsx'
import { textProps } from '../../../components/field-props.ts'
import { api, statusOf } from '../../../api/http.ts'
import { EmailField } from '../../../components/email-field.tsx'
import { isNewPassword, NewPasswordField } from '../../../components/password-fields.tsx'
import { VisitorCard } from '../../../components/visitor-card.tsx'
import { usePageTitle } from '../../../hooks/use-page-title.ts'
import * as t from '../../../texts.ts'
import { RequestForm } from '../../../components/request-form.tsx'

/** Target page of the link in a reset mail. */
export function Component() {
  usePageTitle(t.passwordReset.title)
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [email, setEmail] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const reset = useMutation({
    mutationFn: () =>
      api.visitor.completePasswordReset({ body: { email, resetCode: search.get('code') ?? '', newPassword } }),
    onSuccess: async () => {
      notifications.show({ message: t.passwordReset.done })
      await navigate('/sign-in', { replace: true })
    },
  })
  const isBadLink = statusOf(reset.error) === 400
  return (
    <VisitorCard title={t.passwordReset.title}>
      <RequestForm
        submit={t.passwordReset.submit}
        canSubmit={email !== '' && isNewPassword(newPassword)}
        request={reset}
        isExplained={isBadLink}
        onSubmit={() => reset.mutate()}
      >
        <EmailField autoFocus {...textProps(email, setEmail)} />
        <NewPasswordField label={t.password.next} {...textProps(newPassword, setNewPassword)} />
        {isBadLink && (
          <Alert color="danger" icon={<IconAlertCircle size={18} />} title={t.passwordReset.badLinkTitle} role="alert">
            {t.passwordReset.badLink}{' '}
            <TextLink to="/sign-in/help" inherit underline="always">
              {t.passwordReset.again}
            </TextLink>
          </Alert>
        )}
      </RequestForm>
    </VisitorCard>
  )
}
