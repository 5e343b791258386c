import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { EmailField } from '../../components/email-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { en as t } from '../../strings/en.ts'

interface RegistrationStepProps {
  answer: { identity: string | null; name: string; email: string | null }
  onDone: () => Promise<void>
}

/** Form for an account whose owner signs in through the provider. */
export function RegistrationStep({ answer: { identity, name, email: known }, onDone }: RegistrationStepProps) {
  const client = useQueryClient()
  const { data: registration } = useQuery(queries.registration)
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
      client.removeQueries({ queryKey: queries.registration.queryKey })
      await onDone()
    },
  })
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    register.mutate()
  }
  return (
    <form onSubmit={handleSubmit}>
      <Stack>
        <Text c="dimmed">{t.providers.registerIntro(name)}</Text>
        <TextInput
          label={t.welcome.organization}
          description={t.welcome.organizationHint}
          placeholder={t.welcome.organizationPlaceholder}
          autoComplete="organization"
          maxLength={100}
          autoFocus
          value={organization}
          onChange={(event) => setOrganization(event.currentTarget.value)}
        />
        <EmailField value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
        {registration?.isFirst && (
          <TextInput
            label={t.welcome.setupCode}
            description={t.welcome.setupCodeHint}
            autoComplete="off"
            maxLength={40}
            value={setupCode}
            onChange={(event) => setSetupCode(event.currentTarget.value)}
          />
        )}
        {register.error && <ProblemAlert error={register.error} />}
        <Button type="submit" loading={register.isPending} disabled={!email} fullWidth>
          {t.welcome.create}
        </Button>
        <Anchor component={Link} to="/sign-in">
          {t.providers.back}
        </Anchor>
      </Stack>
    </form>
  )
}
