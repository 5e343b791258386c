import { Alert } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/http.ts'
import { CodeField } from '../../components/code-field.tsx'
import { factorFrom } from '../../components/factor-from.ts'
import { en as t } from '../../strings/en.ts'
import { RequestForm } from '../../components/request-form.tsx'

interface CodeStepProps {
  /** Proof of the account at the provider. */
  identity: string
  onDone: () => Promise<void>
}

/** Asks for the code of an account with two-factor authentication. */
export function CodeStep({ identity, onDone }: CodeStepProps) {
  const [code, setCode] = useState('')
  const finish = useMutation({
    mutationFn: () => api.providers.secondFactor({ body: { identity, ...factorFrom(code) } }),
    onSuccess: async ({ user }) => {
      if (user) {
        await onDone()
      }
    },
  })
  const isWrong = finish.data && !finish.data.user
  return (
    <RequestForm submit={t.signIn.submit} request={finish} onSubmit={() => finish.mutate()}>
      <CodeField
        autoFocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={isWrong && !finish.data.isLockedOut && !finish.data.isDisabled && t.signIn.wrongCode}
      />
      {finish.data?.isLockedOut && (
        <Alert color="danger" role="alert" title={t.signIn.lockedTitle}>
          {t.signIn.locked}
        </Alert>
      )}
      {finish.data?.isDisabled && (
        <Alert color="danger" role="alert" title={t.signIn.disabledTitle}>
          {t.signIn.disabled}
        </Alert>
      )}
    </RequestForm>
  )
}
