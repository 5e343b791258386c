import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../shared/contract/client.ts'
import { api } from '../../api/http.ts'
import { CodeField } from '../../components/code-field.tsx'
import { factorFrom } from '../../components/factor-from.ts'
import { isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import { en as t } from '../../strings/en.ts'
import { Refusal } from './refusal.tsx'
import type { StepProps } from './sign-in-request.ts'
import { RequestForm } from '../../components/request-form.tsx'

/** The server reports this field if the account has a second factor. */
const asksForCode = (error: Error | null) =>
  error instanceof ApiError && error.problem?.errors?.['twoFactorCode'] !== undefined

/** Form for a user whose password was set by an administrator. */
export function NewPasswordForm({
  credentials: { email, password: currentPassword },
  signIn,
  onChanged,
}: StepProps & { onChanged: (password: string) => void }) {
  const [newPassword, setNewPassword] = useState('')
  const [code, setCode] = useState('')
  const [hasSecondFactor, setHasSecondFactor] = useState(false)
  const change = useMutation({
    mutationFn: () => {
      const factor = hasSecondFactor ? factorFrom(code) : {}
      return api.visitor.changePasswordWithCredentials({ body: { email, currentPassword, newPassword, ...factor } })
    },
    onSuccess: () => onChanged(newPassword),
    onError: (error) => setHasSecondFactor((before) => before || asksForCode(error)),
  })
  const isSame = newPassword === currentPassword
  return (
    <RequestForm
      submit={t.password.change}
      canSubmit={!isSame && isNewPassword(newPassword)}
      request={{ isPending: change.isPending || signIn.isPending, error: change.error ?? signIn.error }}
      isExplained={asksForCode(change.error)}
      onSubmit={() => change.mutate()}
    >
      <Text c="dimmed">{t.signIn.newPasswordHint}</Text>
      <NewPasswordField
        label={t.password.next}
        autoFocus
        value={newPassword}
        onChange={(event) => setNewPassword(event.currentTarget.value)}
        error={isSame && t.signIn.samePassword}
      />
      {hasSecondFactor && (
        <CodeField
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={code !== '' && asksForCode(change.error) && t.signIn.wrongCode}
        />
      )}
      <Refusal signIn={signIn} />
    </RequestForm>
  )
}
