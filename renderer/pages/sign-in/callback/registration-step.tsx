import { Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextLink } from '../../../components/links.tsx'
import { textProps } from '../../../components/field-props.ts'
import { api } from '../../../api/http.ts'
import { signInQueries } from '../../../api/sign-in-queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import { EmailField } from '../../../components/email-field.tsx'
import * as t from '../../../texts.ts'
import { RequestForm } from '../../../components/request-form.tsx'
import { isSetupCodeProblem, SetupCodeField } from '../../../components/setup-code-field.tsx'

interface RegistrationStepProps {
  answer: { identity: string | null; name: string; email: string | null }
  onDone: () => Promise<void>
}

/** Form for an account whose owner signs in through the provider. */
export function RegistrationStep({ answer: { identity, name, email: known }, onDone }: RegistrationStepProps) {
  const { data: registration } = useQuery(signInQueries.registration)
  const [email, setEmail] = useState(known ?? '')
  const [organization, setOrganization] = useState('')
  const [setupCode, setSetupCode] = useState('')
  const register = useMutation({
    mutationFn: () =>
      api.providers.register({
        body: {
          identity: identity ?? '',
          email,
          organizationName: organization.trim() || undefined,
          setupCode: setupCode.trim() || undefined,
        },
      }),
    onSuccess: async () => {
      queryClient.removeQueries({ queryKey: signInQueries.registration.queryKey })
      await onDone()
    },
  })
  return (
    <RequestForm
      submit={t.welcome.create}
      canSubmit={email !== ''}
      request={register}
      isExplained={isSetupCodeProblem(register.error)}
      onSubmit={() => register.mutate()}
      footer={<TextLink to="/sign-in">{t.providers.back}</TextLink>}
    >
      <Text c="dimmed">{t.providers.registerIntro(name)}</Text>
      <TextInput
        label={t.welcome.organization}
        description={t.welcome.organizationHint}
        placeholder={t.welcome.organizationPlaceholder}
        autoComplete="organization"
        maxLength={100}
        autoFocus
        {...textProps(organization, setOrganization)}
      />
      <EmailField {...textProps(email, setEmail)} />
      {registration?.isFirst && (
        <SetupCodeField
          problem={register.error}
          {...textProps(setupCode, (value) => {
            setSetupCode(value)
            register.reset()
          })}
        />
      )}
    </RequestForm>
  )
}
