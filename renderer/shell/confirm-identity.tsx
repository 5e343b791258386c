import { Anchor, Button, Modal, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../shared/contract/client.ts'
import { proof } from '../api/waiting-requests.ts'
import { api } from '../api/http.ts'
import { isDismissed, signChallenge, supportsPasskeys } from '../api/passkeys.ts'
import { accountQueries } from '../api/account-queries.ts'
import { useIsWaiting } from './use-is-waiting.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { CodeField } from '../components/code-field.tsx'
import { secondFactorCode } from '../components/second-factor-code.ts'
import { PasswordField } from '../components/password-fields.tsx'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { RequestForm } from '../components/request-form.tsx'

const fieldMessage = (error: Error | null) =>
  error instanceof ApiError ? Object.values(error.problem?.errors ?? {}).flat()[0] : undefined

/** Button to confirm with a passkey, for those who have one that works here. */
function PasskeyProof() {
  const { data } = useQuery({ ...accountQueries.passkeys, enabled: supportsPasskeys() })
  const prove = useMutation({
    mutationFn: async () => {
      const { ticket, options } = await api.ownSession.passkeyOptions({})
      const credential = await signChallenge(options)
      await api.ownSession.prove({ body: { passkey: { ticket, credential } } })
    },
    onSuccess: () => proof.end(true),
  })
  const isOffered = data?.site.origin === location.origin && data.items.some(({ host }) => host === location.hostname)
  return (
    isOffered && (
      <>
        <Button variant="default" loading={prove.isPending} onClick={() => prove.mutate()}>
          {t.passkeys.prove}
        </Button>
        {prove.error && !isDismissed(prove.error) && <ProblemAlert error={prove.error} title={t.passkeys.failed} />}
      </>
    )
  )
}

function ProofForm() {
  const { user } = useSession()
  const [answer, setAnswer] = useState('')
  const [isCode, setIsCode] = useState(false)
  const prove = useMutation({
    mutationFn: () => api.ownSession.prove({ body: isCode ? secondFactorCode(answer) : { password: answer } }),
    onSuccess: () => proof.end(true),
  })
  const handleSwitch = () => {
    setIsCode(!isCode)
    setAnswer('')
    prove.reset()
  }
  const refusal = fieldMessage(prove.error)
  const shared = {
    value: answer,
    onChange: (event: { currentTarget: { value: string } }) => setAnswer(event.currentTarget.value),
    error: refusal !== undefined && t.proof.refused(isCode, refusal),
  }
  return (
    <RequestForm
      submit={t.proof.confirm}
      canSubmit={answer !== ''}
      request={prove}
      isExplained={refusal !== undefined}
      onSubmit={() => prove.mutate()}
      onCancel={() => proof.end(false)}
    >
      <Text c="dimmed">{t.proof.why}</Text>
      {isCode ? (
        <CodeField key="code" autoFocus {...shared} />
      ) : (
        <PasswordField
          key="password"
          label={t.proof.passwordOf(user.email)}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
          {...shared}
        />
      )}
      {user.twoFactorEnabled && (
        <Anchor component="button" type="button" onClick={handleSwitch} style={{ alignSelf: 'start' }}>
          {isCode ? t.proof.usePassword : t.proof.useCode}
        </Anchor>
      )}
      <PasskeyProof />
    </RequestForm>
  )
}

/**
 * Asks the user to confirm their identity when the server requires recent authentication; the waiting request is then
 * sent again. Covers the dialog that sent the request, which keeps its input.
 */
export const ConfirmIdentity = () => (
  <Modal
    opened={useIsWaiting(proof)}
    onClose={() => proof.end(false)}
    closeOnEscape={false}
    title={t.proof.title}
    zIndex={300}
  >
    <ProofForm />
  </Modal>
)
