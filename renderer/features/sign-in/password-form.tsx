import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { EmailField } from '../../components/email-field.tsx'
import { PasswordField } from '../../components/password-fields.tsx'
import { en as t } from '../../strings/en.ts'
import { Refusal } from './refusal.tsx'
import { outcomeOf, type Credentials, type StepProps } from './sign-in-request.ts'
import { RequestForm } from '../../components/request-form.tsx'

/** First step of signing in; often the only one. */
export function PasswordForm({
  credentials,
  signIn,
  onChange,
}: StepProps & { onChange: (credentials: Credentials) => void }) {
  // Focuses the password if the address is given.
  const [isKnown] = useState(credentials.email !== '')
  return (
    <RequestForm submit={t.signIn.submit} request={signIn} onSubmit={() => signIn.mutate(credentials)}>
      <EmailField
        autoFocus={!isKnown}
        data-autofocus={!isKnown || undefined}
        value={credentials.email}
        onChange={(event) => onChange({ ...credentials, email: event.currentTarget.value })}
      />
      <PasswordField
        label={t.common.password}
        autoFocus={isKnown}
        data-autofocus={isKnown || undefined}
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={credentials.password}
        onChange={(event) => onChange({ ...credentials, password: event.currentTarget.value })}
        error={outcomeOf(signIn.data) === 'wrong' && t.signIn.wrong}
      />
      <Checkbox
        label={t.signIn.stay}
        checked={credentials.staySignedIn}
        onChange={(event) => onChange({ ...credentials, staySignedIn: event.currentTarget.checked })}
      />
      <Refusal signIn={signIn} />
    </RequestForm>
  )
}
