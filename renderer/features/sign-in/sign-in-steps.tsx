import { Checkbox, Group, Stack, Text, Alert } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { textProps } from '../../components/field-props.ts'
import type { CurrentUserDto } from '../../../shared/dtos/user.ts'
import { api } from '../../api/http.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'
import { VisitorCard } from '../../components/visitor-card.tsx'
import * as t from '../../texts.ts'
import { OtherWays } from './other-ways.tsx'
import { outcomeOf, type Credentials, type SignInRequest, type StepProps } from './sign-in-request.ts'
import { EmailField } from '../../components/email-field.tsx'
import { PasswordField, isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import { RequestForm } from '../../components/request-form.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { secondFactorCode } from '../../components/second-factor-code.ts'
import { ApiError } from '../../../shared/contract/client.ts'
import { IconLock, IconMail, IconUserOff } from '@tabler/icons-react'

/** Explains why the server rejected a sign-in, if the reason belongs to no field. */
function Refusal({ signIn }: Pick<StepProps, 'signIn'>) {
  const { email } = signIn.variables ?? {}
  const outcome = outcomeOf(signIn.data)
  if (outcome === 'locked') {
    return (
      <Alert color="danger" icon={<IconLock size={18} />} title={t.signIn.lockedTitle} role="alert">
        {t.signIn.locked}
      </Alert>
    )
  }
  if (outcome === 'disabled') {
    return (
      <Alert color="danger" icon={<IconUserOff size={18} />} title={t.signIn.disabledTitle} role="alert">
        {t.signIn.disabled}
      </Alert>
    )
  }
  return (
    outcome === 'unconfirmed' && (
      <Alert color="danger" icon={<IconMail size={18} />} title={t.signIn.unconfirmedTitle} role="alert">
        <Stack gap="xs" align="flex-start">
          {t.signIn.unconfirmed}
          <TextLink to="/sign-in/help" state={{ email }}>
            {t.signIn.resend}
          </TextLink>
        </Stack>
      </Alert>
    )
  )
}

/** Links below the ways to sign in. The help page starts with the address that was typed. */
function EntryLinks({ email }: { email: string }) {
  const { data: settings } = useQuery(signInQueries.publicSettings)
  return (
    <Group justify="center" gap="lg">
      <TextLink to="/sign-in/help" state={{ email }}>
        {t.signIn.trouble}
      </TextLink>
      {settings?.isPublicRegistrationEnabled && <TextLink to="/welcome">{t.signIn.register}</TextLink>}
    </Group>
  )
}

/** First step of signing in; often the only one. */
function PasswordForm({ credentials, signIn, onChange }: StepProps & { onChange: (credentials: Credentials) => void }) {
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

/** Second step for accounts with two-factor authentication. */
function CodeForm({ credentials, signIn }: StepProps) {
  const [code, setCode] = useState('')
  return (
    <RequestForm
      submit={t.signIn.submit}
      request={signIn}
      onSubmit={() => signIn.mutate({ ...credentials, ...secondFactorCode(code) })}
      footer={
        <TextLink to="/sign-in/help" state={{ email: credentials.email }} ta="center">
          {t.signIn.codeTrouble}
        </TextLink>
      }
    >
      <CodeField
        autoFocus
        {...textProps(code, setCode)}
        error={outcomeOf(signIn.data) === 'wrong' && t.signIn.wrongCode}
      />
      <Refusal signIn={signIn} />
    </RequestForm>
  )
}

/** The server reports this field if the account has a second factor. */
const asksForCode = (error: Error | null) =>
  error instanceof ApiError && error.problem?.errors?.['twoFactorCode'] !== undefined

/** Form for a user whose password was set by an administrator. */
function NewPasswordForm({
  credentials: { email, password: currentPassword },
  signIn,
  onChanged,
}: StepProps & { onChanged: (password: string) => void }) {
  const [newPassword, setNewPassword] = useState('')
  const [code, setCode] = useState('')
  const [hasSecondFactor, setHasSecondFactor] = useState(false)
  const change = useMutation({
    mutationFn: () => {
      const factor = hasSecondFactor ? secondFactorCode(code) : {}
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
        {...textProps(newPassword, setNewPassword)}
        error={isSame && t.password.same}
      />
      {hasSecondFactor && (
        <CodeField
          autoFocus
          {...textProps(code, setCode)}
          error={code !== '' && asksForCode(change.error) && t.signIn.wrongCode}
        />
      )}
      <Refusal signIn={signIn} />
    </RequestForm>
  )
}

type Step = 'password' | 'code' | 'newPassword'

const titles = { password: t.signIn.title, code: t.signIn.codeTitle, newPassword: t.signIn.newPasswordTitle }

interface SignInStepsProps {
  /** Explains why signing in is needed. */
  intro?: string
  email?: string
  onSignedIn: (user: CurrentUserDto) => Promise<void>
}

/** Sign-in form with all steps that an account needs. */
export function SignInSteps({ intro, email = '', onSignedIn }: SignInStepsProps) {
  const [step, setStep] = useState<Step>('password')
  const [credentials, setCredentials] = useState<Credentials>({ email, password: '', staySignedIn: false })
  const signIn = useMutation({
    mutationFn: (body: SignInRequest) => api.session.signIn({ body }),
    onSuccess: async ({ user, requiresTwoFactor, requiresPasswordChange }) => {
      if (user) {
        await onSignedIn(user)
      } else if (requiresPasswordChange) {
        setStep('newPassword')
      } else if (requiresTwoFactor) {
        setStep('code')
      }
    },
  })
  const handleChanged = (password: string) => {
    const next = { ...credentials, password }
    setCredentials(next)
    signIn.mutate(next)
  }

  const shared = { credentials, signIn }
  return (
    <VisitorCard title={titles[step]} {...(step === 'password' && intro !== undefined && { intro })}>
      {step === 'password' && (
        <Stack>
          <PasswordForm {...shared} onChange={setCredentials} />
          <OtherWays onSignedIn={onSignedIn} />
          <EntryLinks email={credentials.email} />
        </Stack>
      )}
      {step === 'code' && <CodeForm {...shared} />}
      {step === 'newPassword' && <NewPasswordForm {...shared} onChanged={handleChanged} />}
    </VisitorCard>
  )
}
