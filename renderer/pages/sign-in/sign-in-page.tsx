import { Alert, Anchor, Button, Checkbox, Stack, TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { api, statusOf } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { PasswordField } from '../../components/password-fields.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { localPath } from '../../local-path.ts'
import { en as t } from '../../strings/en.ts'

type Outcome = 'wrong' | 'locked' | undefined

export function Component() {
  usePageTitle(t.signIn.title)
  const navigate = useNavigate()
  const client = useQueryClient()
  const [search] = useSearchParams()
  const { data: settings } = useQuery(queries.publicSettings)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [staySignedIn, setStaySignedIn] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()

  const signIn = useMutation({
    mutationFn: () => api.session.signIn({ body: { email, password, staySignedIn } }),
    onSuccess: async ({ user, isLockedOut }) => {
      if (user) {
        await client.resetQueries({ queryKey: queries.session.queryKey })
        await navigate(localPath(search.get('returnUrl')), { replace: true })
      } else {
        setOutcome(isLockedOut ? 'locked' : 'wrong')
      }
    },
    onError: (error) => setOutcome(statusOf(error) === 401 ? 'wrong' : undefined),
  })
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    setOutcome(undefined)
    signIn.mutate()
  }

  return (
    <VisitorCard title={t.signIn.title}>
      <form onSubmit={handleSubmit}>
        <Stack>
          <TextInput
            type="email"
            label={t.common.email}
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordField
            label={t.common.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={outcome === 'wrong' && t.signIn.wrong}
          />
          <Checkbox
            label={t.signIn.stay}
            checked={staySignedIn}
            onChange={(event) => setStaySignedIn(event.currentTarget.checked)}
          />
          {outcome === 'locked' && (
            <Alert color="danger" icon={<IconLock size={18} />} title={t.signIn.lockedTitle} role="alert">
              {t.signIn.locked}
            </Alert>
          )}
          {signIn.error && outcome === undefined && <ProblemAlert error={signIn.error} />}
          <Button type="submit" loading={signIn.isPending} fullWidth>
            {t.signIn.submit}
          </Button>
          {settings?.isPublicRegistrationEnabled && (
            <Anchor component={Link} to="/welcome" ta="center">
              {t.signIn.register}
            </Anchor>
          )}
        </Stack>
      </form>
    </VisitorCard>
  )
}
