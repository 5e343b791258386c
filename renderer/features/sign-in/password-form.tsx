import { Button, Checkbox, Stack } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { EmailField } from '../../components/email-field.tsx'
import { PasswordField } from '../../components/password-fields.tsx'
import { en as t } from '../../strings/en.ts'
import { Refusal } from './refusal.tsx'
import { outcomeOf, type Credentials, type StepProps } from './sign-in-request.ts'

/** The first step, and for most people the only one. */
export function PasswordForm({
  credentials,
  signIn,
  onChange,
}: StepProps & { onChange: (credentials: Credentials) => void }) {
  // Where the address is known the password comes first.
  const [isKnown] = useState(credentials.email !== '')
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    signIn.mutate(credentials)
  }
  return (
    <form onSubmit={handleSubmit}>
      <Stack>
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
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t.signIn.submit}
        </Button>
      </Stack>
    </form>
  )
}
