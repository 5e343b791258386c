import { Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CurrentUserDto } from '../../../shared/dtos/user.ts'
import { api } from '../../api/http.ts'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { en as t } from '../../strings/en.ts'
import { CodeForm } from './code-form.tsx'
import { EntryLinks } from './entry-links.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { OtherWays } from './other-ways.tsx'
import { PasswordForm } from './password-form.tsx'
import type { Credentials, SignInRequest } from './sign-in-request.ts'

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
