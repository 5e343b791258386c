import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { localPath } from '../../local-path.ts'
import { en as t } from '../../strings/en.ts'
import { CodeForm } from './code-form.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { PasswordForm } from './password-form.tsx'
import type { Credentials, SignInRequest } from './sign-in-steps.ts'

type Step = 'password' | 'code' | 'newPassword'

const titles = { password: t.signIn.title, code: t.signIn.codeTitle, newPassword: t.signIn.newPasswordTitle }

export function Component() {
  usePageTitle(t.signIn.title)
  const navigate = useNavigate()
  const client = useQueryClient()
  const [search] = useSearchParams()
  const [step, setStep] = useState<Step>('password')
  const [credentials, setCredentials] = useState<Credentials>({ email: '', password: '', staySignedIn: false })

  const signIn = useMutation({
    mutationFn: (body: SignInRequest) => api.session.signIn({ body }),
    onSuccess: async ({ user, requiresTwoFactor, requiresPasswordChange }) => {
      if (user) {
        await client.resetQueries({ queryKey: queries.session.queryKey })
        await navigate(localPath(search.get('returnUrl')), { replace: true })
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
    <VisitorCard title={titles[step]}>
      {step === 'password' && <PasswordForm {...shared} onChange={setCredentials} />}
      {step === 'code' && <CodeForm {...shared} />}
      {step === 'newPassword' && <NewPasswordForm {...shared} onChanged={handleChanged} />}
    </VisitorCard>
  )
}
