import { Anchor, Button, Stack } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { Link } from 'react-router'
import { CodeField } from '../../components/code-field.tsx'
import { factorFrom } from '../../components/factor-from.ts'
import { en as t } from '../../strings/en.ts'
import { Refusal } from './refusal.tsx'
import { outcomeOf, type StepProps } from './sign-in-request.ts'

/** Second step for accounts with two-factor authentication. */
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
        <Anchor component={Link} to="/sign-in/help" state={{ email: credentials.email }} ta="center">
          {t.signIn.codeTrouble}
        </Anchor>
      </Stack>
    </form>
  )
}
