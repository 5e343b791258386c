import { Alert, Text, TextInput } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { textProps } from '../../components/field-props.ts'
import { userPreferenceTable } from '../../../shared/dtos/user-preference.ts'
import { api } from '../../api/http.ts'
import { queryClient } from '../../api/query-client.ts'
import { EmailField } from '../../components/email-field.tsx'
import { isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'
import { OtherWays } from './other-ways.tsx'
import { RequestForm } from '../../components/request-form.tsx'

const { name: namePreference, schema: nameSchema } = userPreferenceTable.userDisplayName

interface AcceptFormProps {
  activationCode: string
  email: string
  expiresAt: string
}

/** Name and password of a new member, who is signed in afterwards. */
export function AcceptForm({ activationCode, email, expiresAt }: AcceptFormProps) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const isBadName = !nameSchema.safeParse(name).success
  const [rejection, setRejection] = useState<string | null>(null)
  const handleAnswer = async ({
    isSuccessful,
    errorMessage,
  }: {
    isSuccessful: boolean
    errorMessage: string | null
  }) => {
    setRejection(errorMessage)
    if (!isSuccessful) {
      return
    }
    if (name.trim() !== '' && !isBadName) {
      const { tenantId } = await api.auth.me({})
      // The account exists by now, and its page takes a name, too.
      await api.userPreferences.set({ tenantId, body: { name: namePreference, value: name } }).catch(() => {})
    }
    queryClient.clear()
    await navigate('/home', { replace: true })
  }
  const accept = useMutation({
    mutationFn: () => api.invitations.accept({ body: { activationCode, email, password } }),
    onSuccess: handleAnswer,
  })
  return (
    <RequestForm
      submit={t.invitation.accept}
      canSubmit={!isBadName && isNewPassword(password)}
      request={accept}
      onSubmit={() => accept.mutate()}
      footer={
        <>
          <OtherWays activationCode={activationCode} onAnswer={handleAnswer} />
          <Text size="sm" c="dimmed">
            {t.invitation.expires(moment(Date.parse(expiresAt)))}
          </Text>
        </>
      }
    >
      <EmailField value={email} readOnly />
      <TextInput
        label={t.invitation.name}
        description={t.invitation.nameHint}
        autoComplete="name"
        maxLength={50}
        autoFocus
        {...textProps(name, setName)}
        error={isBadName && t.invitation.badName}
      />
      <NewPasswordField label={t.common.password} {...textProps(password, setPassword)} />
      {rejection && (
        <Alert color="danger" icon={<IconAlertCircle size={18} />} title={t.invitation.refusedTitle} role="alert">
          {rejection}
        </Alert>
      )}
    </RequestForm>
  )
}
