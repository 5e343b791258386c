import { Alert, Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Link, Navigate, useNavigate } from 'react-router'
import { desktop } from '../../api/desktop.ts'
import { api } from '../../api/http.ts'
import { firstStepsPreference, queries } from '../../api/queries.ts'
import { EmailField } from '../../components/email-field.tsx'
import { FirstLoad, ServerSilent } from '../../components/page-crash.tsx'
import { isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { RestoreForm } from './restore-form.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { ApiError } from '../../../shared/contract/client.ts'
import { en as t } from '../../strings/en.ts'
import { visibleName } from '../../strings/visible-name.ts'

/** Whether this browser runs on the server's computer; behind a proxy every browser seems to. */
const isThisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)

const codeProblem = (error: unknown) => (error instanceof ApiError ? error.problem?.errors?.['setupCode'] : undefined)

function RegistrationForm({ isFirst }: { isFirst: boolean }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [organization, setOrganization] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [setupCode, setSetupCode] = useState('')
  const [isCodeAsked, setIsCodeAsked] = useState(isFirst && !isThisMachine)
  const register = useMutation({
    mutationFn: () =>
      api.session.register({
        body: {
          email,
          password,
          organizationName: organization.trim() || undefined,
          setupCode: setupCode.trim() || undefined,
        },
      }),
    onError: (error) => {
      if (codeProblem(error)) {
        setIsCodeAsked(true)
      }
    },
    onSuccess: async ({ tenantId }) => {
      if (isFirst) {
        // Without it the steps are still shown once.
        await api.preferences.set({ tenantId, body: { name: firstStepsPreference, value: 'secure' } }).catch(() => {})
      }
      await navigate(isFirst ? '/first-steps' : '/deploy', { replace: true })
      client.removeQueries({ queryKey: queries.publicSettings.queryKey })
      client.removeQueries({ queryKey: queries.registration.queryKey })
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
        {isCodeAsked && (
          <TextInput
            label={t.welcome.setupCode}
            description={t.welcome.setupCodeHint}
            placeholder="ABCDE-23456"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            error={codeProblem(register.error) && (setupCode ? t.welcome.wrongSetupCode : t.welcome.missingSetupCode)}
            value={setupCode}
            onChange={(event) => {
              setSetupCode(event.currentTarget.value)
              register.reset()
            }}
          />
        )}
        {register.error && !codeProblem(register.error) && <ProblemAlert error={register.error} />}
        <Button
          type="submit"
          loading={register.isPending}
          disabled={!email || !isNewPassword(password) || (isCodeAsked && setupCode.trim() === '')}
          fullWidth
        >
          {t.welcome.create}
        </Button>
        {!isFirst && (
          <Group gap={6} justify="center">
            <span className="muted">{t.welcome.haveAccount}</span>
            <Anchor component={Link} to="/sign-in">
              {t.signIn.submit}
            </Anchor>
          </Group>
        )}
      </Stack>
    </form>
  )
}

/** Setup code for a first account made on another device; shown in the window of the server. */
function CodeForOthers() {
  const { data } = useQuery({
    queryKey: ['server-state'],
    queryFn: async () => (await desktop?.getServerState()) ?? null,
    enabled: desktop !== undefined,
  })
  return data?.setupCode ? (
    <Text size="sm" c="dimmed" mt="md">
      {t.welcome.codeForOthers} <Code>{data.setupCode}</Code>
    </Text>
  ) : null
}

export function Component() {
  usePageTitle(t.welcome.title)
  const [isRestoring, setIsRestoring] = useState(false)
  const { data, failureCount } = useQuery(queries.registration)
  if (!data) {
    return failureCount > 0 ? <ServerSilent /> : <FirstLoad />
  }
  if (!data.isOpen) {
    return <Navigate to="/sign-in" replace />
  }
  if (data.problem !== null) {
    return (
      <VisitorCard title={t.backup.lostTitle} intro={t.backup.lostIntro}>
        <Alert color="danger" mb="md" role="status">
          {visibleName(data.problem)}
        </Alert>
        <RestoreForm isRemote={!isThisMachine} />
        <CodeForOthers />
      </VisitorCard>
    )
  }
  if (data.isFirst && isRestoring) {
    return (
      <VisitorCard title={t.backup.firstRunTitle} intro={t.backup.firstRunIntro}>
        <RestoreForm isRemote={!isThisMachine} onBack={() => setIsRestoring(false)} />
      </VisitorCard>
    )
  }
  return (
    <VisitorCard title={t.welcome.title} intro={data.isFirst ? t.welcome.intro : t.welcome.introOpen}>
      <RegistrationForm isFirst={data.isFirst} />
      {data.isFirst && (
        <Text ta="center" mt="md">
          <Anchor component="button" type="button" onClick={() => setIsRestoring(true)}>
            {t.backup.firstRun}
          </Anchor>
        </Text>
      )}
      <CodeForOthers />
    </VisitorCard>
  )
}
