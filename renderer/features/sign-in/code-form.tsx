import { Anchor } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { CodeField } from '../../components/code-field.tsx'
import { factorFrom } from '../../components/factor-from.ts'
import { en as t } from '../../strings/en.ts'
import { Refusal } from './refusal.tsx'
import { outcomeOf, type StepProps } from './sign-in-request.ts'
import { RequestForm } from '../../components/request-form.tsx'

/** Second step for accounts with two-factor authentication. */
export function CodeForm({ credentials, signIn }: StepProps) {
  const [code, setCode] = useState('')
  return (
    <RequestForm
      submit={t.signIn.submit}
      request={signIn}
      onSubmit={() => signIn.mutate({ ...credentials, ...factorFrom(code) })}
      footer={
        <Anchor component={Link} to="/sign-in/help" state={{ email: credentials.email }} ta="center">
          {t.signIn.codeTrouble}
        </Anchor>
      }
    >
      <CodeField
        autoFocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={outcomeOf(signIn.data) === 'wrong' && t.signIn.wrongCode}
      />
      <Refusal signIn={signIn} />
    </RequestForm>
  )
}
