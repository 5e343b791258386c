import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Link, Navigate, useNavigate } from 'react-router'
import { desktop } from '../../api/desktop.ts'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { EmailField } from '../../components/email-field.tsx'
import { FirstLoad, ServerSilent } from '../../components/page-crash.tsx'
import { isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { en as t } from '../../strings/en.ts'

/** Whoever sits at the server itself needs no code. */
const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)

/** In the window of the appliance: what the first account needs on any other computer. */
function SetupCode() {
  const { data } = useQuery({
    queryKey: ['server-state'],
    queryFn: () => desktop?.getServerState() ?? null,
    enabled: desktop !== undefined,
  })
  return data?.setupCode ? (
    <p className="small muted">
      {t.welcome.elsewhere} <code>{data.setupCode}</code>
    </p>
  ) : null
}

function RegistrationForm() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [organization, setOrganization] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [setupCode, setSetupCode] = useState('')
  const register = useMutation({
    mutationFn: () =>
      api.session.register({
        body: {
          email,
          password,
          organizationName: organization.trim() || undefined,
          setupCode: setupCode || undefined,
        },
      }),
    onSuccess: async () => {
      await navigate('/deploy', { replace: true })
      client.removeQueries({ queryKey: queries.publicSettings.queryKey })
    },
  })
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    register.mutate()
  }
  return (
    <form onSubmit={handleSubmit}>
      <Stack>
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
        <NewPasswordField
          label={t.common.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {!isHere && (
          <TextInput
            label={t.welcome.setupCode}
            description={t.welcome.setupCodeHint}
            autoComplete="off"
            spellCheck={false}
            maxLength={40}
            required
            withAsterisk={false}
            value={setupCode}
            onChange={(event) => setSetupCode(event.currentTarget.value)}
          />
        )}
        {register.error && <ProblemAlert error={register.error} />}
        <Button
          type="submit"
          loading={register.isPending}
          disabled={!email || !isNewPassword(password) || (!isHere && !setupCode)}
          fullWidth
        >
          {t.welcome.create}
        </Button>
        <Group gap={6} justify="center">
          <span className="muted">{t.welcome.haveAccount}</span>
          <Anchor component={Link} to="/sign-in">
            {t.welcome.signIn}
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}

export function Component() {
  usePageTitle(t.welcome.title)
  const { data, failureCount } = useQuery(queries.publicSettings)
  if (!data) {
    return failureCount > 0 ? <ServerSilent /> : <FirstLoad />
  }
  if (!data.isPublicRegistrationEnabled) {
    return <Navigate to="/sign-in" replace />
  }
  return (
    <VisitorCard title={t.welcome.title} intro={t.welcome.intro}>
      <RegistrationForm />
      <SetupCode />
    </VisitorCard>
  )
}
