import { Button, Stack } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { en as t } from '../../strings/en.ts'
import { CodeField } from './code-field.tsx'
import { Refusal } from './refusal.tsx'
import { factorFrom, outcomeOf, type StepProps } from './sign-in-steps.ts'

/** The second step of an account with two-factor authentication. */
export function CodeForm({ credentials, signIn }: StepProps) {
  const [code, setCode] = useState('')
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    signIn.mutate({ ...credentials, ...factorFrom(code) })
  }
  return (
    <form onSubmit={handleSubmit}>
      <Stack>
        <CodeField
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={outcomeOf(signIn.data) === 'wrong' && t.signIn.wrongCode}
        />
        <Refusal signIn={signIn} />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t.signIn.submit}
        </Button>
      </Stack>
    </form>
  )
}
