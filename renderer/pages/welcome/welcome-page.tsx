import { Alert, Anchor, Code, Group, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate, useNavigate } from 'react-router'
import { TextLink } from '../../components/links.tsx'
import { textProps } from '../../components/field-props.ts'
import { desktop } from '../../api/desktop.ts'
import { api } from '../../api/http.ts'
import { firstStepsPreference } from '../../api/account-queries.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { EmailField } from '../../components/email-field.tsx'
import { FirstLoad, ServerSilent } from '../../components/page-state.tsx'
import { isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { RestoreForm } from './restore-form.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { isSetupCodeProblem, SetupCodeField } from '../../components/setup-code-field.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { RequestForm } from '../../components/request-form.tsx'

/** Whether this browser runs on the server's computer; behind a proxy every browser seems to. */
const isThisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)

function RegistrationForm({ isFirst }: { isFirst: boolean }) {
  const navigate = useNavigate()
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
      if (isSetupCodeProblem(error)) {
        setIsCodeAsked(true)
      }
    },
    onSuccess: async ({ tenantId }) => {
      if (isFirst) {
        // Without it the steps are still shown once.
        await api.userPreferences
          .set({ tenantId, body: { name: firstStepsPreference, value: 'secure' } })
          .catch(() => {})
      }
      await navigate(isFirst ? '/first-steps' : '/deploy', { replace: true })
      queryClient.removeQueries({ queryKey: signInQueries.publicSettings.queryKey })
      queryClient.removeQueries({ queryKey: signInQueries.registration.queryKey })
    },
  })
  return (
    <RequestForm
      submit={t.welcome.create}
      canSubmit={email !== '' && isNewPassword(password) && !(isCodeAsked && setupCode.trim() === '')}
      request={register}
      isExplained={isSetupCodeProblem(register.error)}
      onSubmit={() => register.mutate()}
      footer={
        !isFirst && (
          <Group gap={6} justify="center">
            <span className="muted">{t.welcome.haveAccount}</span>
            <TextLink to="/sign-in">{t.signIn.submit}</TextLink>
          </Group>
        )
      }
    >
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
      <NewPasswordField label={t.common.password} {...textProps(password, setPassword)} />
      {isCodeAsked && (
        <SetupCodeField
          problem={register.error}
          value={setupCode}
          onChange={(event) => {
            setSetupCode(event.currentTarget.value)
            register.reset()
          }}
        />
      )}
    </RequestForm>
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
  const { data, failureCount } = useQuery(signInQueries.registration)
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
